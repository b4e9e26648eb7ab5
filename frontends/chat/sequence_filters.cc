// SPDX-License-Identifier: Apache-2.0
#include "absl/status/status.h"
#include "frontends/chat/attributes.h"
#include "frontends/chat/filters.h"
#include "frontends/chat/operators.h"
#include "frontends/chat/python_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

absl::StatusOr<Value> ToList(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("list", arguments, {}).status());
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  List* copy = heap.NewList();
  heap.budget().Spend(items->items.size() / 8);
  for (const Value& item : items->items) heap.Push(copy, item);
  return copy;
}

absl::StatusOr<Value> Join(Environment& environment, const Value& input,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("join", arguments, {"d", "attribute"}));
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  ASSIGN_OR_RETURN(Value separator, Str(bound.ValueOr(0, TrustedString("")), heap));
  TextBuilder out(&heap);
  for (size_t i = 0; i < items->items.size() && heap.budget().ok(); ++i) {
    if (i > 0) out.Append(*AsText(separator));
    Value item = items->items[i];
    if (bound[1] != nullptr && !IsNone(*bound[1])) {
      ASSIGN_OR_RETURN(item, GetPath(item, *bound[1], heap));
    }
    RETURN_IF_ERROR(AppendStr(item, &out));
    heap.budget().Spend(1);
  }
  return out.Finish();
}

absl::StatusOr<Value> Items(Environment& environment, const Value& input,
                            const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("items", arguments, {}).status());
  Heap& heap = *environment.heap;
  if (IsUndefined(input)) return heap.NewList(ListKind::kGenerator);
  const Dict* dict = AsDict(input);
  if (dict == nullptr) {
    return absl::InvalidArgumentError(
        StrCat("items needs a dict, got a value of type ", TypeName(input)));
  }
  return heap.NewPairs(*dict, ListKind::kGenerator);
}

template <bool kLast>
absl::StatusOr<Value> End(Environment& environment, const Value& input,
                          const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the filter", arguments, {}).status());
  ASSIGN_OR_RETURN(List * items, Iterate(input, *environment.heap));
  if (items->items.empty()) return MakeUndefined("the sequence has no items");
  return kLast ? items->items.back() : items->items.front();
}

absl::StatusOr<Value> Reverse(Environment& environment, const Value& input,
                              const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("reverse", arguments, {}).status());
  const Value step = int64_t{-1};
  if (AsText(input)) return GetSlice(input, nullptr, nullptr, &step, *environment.heap);
  ASSIGN_OR_RETURN(List * items, Iterate(input, *environment.heap));
  List* reversed = environment.heap->NewList(ListKind::kGenerator);
  for (auto it = items->items.rbegin(); it != items->items.rend(); ++it) {
    environment.heap->Push(reversed, *it);
  }
  return reversed;
}

absl::StatusOr<Value> Sum(Environment& environment, const Value& input,
                          const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("sum", arguments, {"attribute", "start"}));
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  Value total = bound.ValueOr(1, int64_t{0});
  for (Value item : items->items) {
    if (bound[0] != nullptr && !IsNone(*bound[0])) {
      ASSIGN_OR_RETURN(item, GetPath(item, *bound[0], heap));
    }
    ASSIGN_OR_RETURN(total, Calculate(Operator::kAdd, total, item, heap));
    RETURN_IF_ERROR(heap.budget().status());
  }
  return total;
}

constexpr Filter kSequenceFilters[] = {
    {"list", ToList},    {"join", Join},       {"items", Items}, {"first", End<false>},
    {"last", End<true>}, {"reverse", Reverse}, {"sum", Sum},
};

}  // namespace

std::span<const Filter> SequenceFilters() { return kSequenceFilters; }

}  // namespace infer::chat
