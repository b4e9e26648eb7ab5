// SPDX-License-Identifier: Apache-2.0
//
// Filters that compare the items of a sequence.
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/filters.h"
#include "frontends/chat/stable_sort.h"
#include "frontends/chat/text_operations.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// What items are compared by: an attribute, and letters without their case.
class SortKeys {
 public:
  SortKeys(const Value* attribute, bool case_sensitive, Heap* heap)
      : attribute_(attribute), case_sensitive_(case_sensitive), heap_(heap) {}

  absl::Status CheckMemory(size_t bytes) const {
    return heap_->budget().CanAllow(bytes) ? absl::OkStatus() : heap_->budget().status();
  }

  absl::StatusOr<Value> KeyOf(const Value& item) const {
    Value key = item;
    if (attribute_ != nullptr && !IsNone(*attribute_)) {
      ASSIGN_OR_RETURN(key, GetPath(item, *attribute_, *heap_));
    }
    const MarkedText* text = AsText(key);
    heap_->budget().Spend(1);
    return text && !case_sensitive_ ? WithCase(*text, Case::kLower, *heap_) : key;
  }

 private:
  const Value* attribute_;
  bool case_sensitive_;
  Heap* heap_;
};

struct Keyed {
  Value key;
  Value item;
};

absl::StatusOr<std::vector<Keyed>> WithKeys(const List& items, const SortKeys& keys) {
  std::vector<Keyed> keyed;
  RETURN_IF_ERROR(keys.CheckMemory(items.items.size() * 2 * sizeof(Keyed)));
  keyed.reserve(items.items.size());
  for (const Value& item : items.items) {
    ASSIGN_OR_RETURN(Value key, keys.KeyOf(item));
    keyed.push_back({std::move(key), item});
  }
  return keyed;
}

absl::StatusOr<Value> SortedBy(const SortKeys& keys, bool reverse, const List& items, Heap& heap) {
  ASSIGN_OR_RETURN(std::vector<Keyed> keyed, WithKeys(items, keys));
  absl::Status status;
  StableSort(&keyed, [&](const Keyed& a, const Keyed& b) {
    absl::StatusOr<int> order = Compare(a.key, b.key, heap.budget());
    if (!order.ok() && status.ok()) status = order.status();
    return order.ok() && (reverse ? *order > 0 : *order < 0);
  });
  RETURN_IF_ERROR(status);
  List* sorted = heap.NewList();
  for (Keyed& entry : keyed) heap.Push(sorted, std::move(entry.item));
  return sorted;
}

absl::StatusOr<Value> Sort(Environment& environment, const Value& input,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(
      BoundArguments bound,
      BoundArguments::Bind("sort", arguments, {"reverse", "case_sensitive", "attribute"}));
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  const SortKeys keys(bound[2], bound.IsTrue(1, false), &heap);
  return SortedBy(keys, bound.IsTrue(0, false), *items, heap);
}

absl::StatusOr<Value> DictSort(Environment& environment, const Value& input,
                               const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("dictsort", arguments,
                                                              {"case_sensitive", "by", "reverse"}));
  Heap& heap = *environment.heap;
  const Dict* dict = AsDict(input);
  if (dict == nullptr) {
    return absl::InvalidArgumentError(
        StrCat("dictsort needs a dict, got a value of type ", TypeName(input)));
  }
  static const MarkedText kByKey{std::string("key")};
  ASSIGN_OR_RETURN(const MarkedText* by, bound.Text(1, &kByKey));
  if (by->text() != "key" && by->text() != "value") {
    return absl::InvalidArgumentError("dictsort sorts by 'key' or by 'value'");
  }
  const Value position = int64_t{by->text() == "key" ? 0 : 1};
  const SortKeys keys(&position, bound.IsTrue(0, false), &heap);
  return SortedBy(keys, bound.IsTrue(2, false), *heap.NewPairs(*dict, ListKind::kList), heap);
}

template <bool kMax>
absl::StatusOr<Value> Extreme(Environment& environment, const Value& input,
                              const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind(kMax ? "max" : "min", arguments,
                                                              {"case_sensitive", "attribute"}));
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  ASSIGN_OR_RETURN(std::vector<Keyed> keyed,
                   WithKeys(*items, SortKeys(bound[1], bound.IsTrue(0, false), &heap)));
  if (keyed.empty()) return MakeUndefined("the sequence has no items");
  const Keyed* best = &keyed[0];
  for (const Keyed& entry : keyed) {
    ASSIGN_OR_RETURN(int order, Compare(entry.key, best->key, heap.budget()));
    if (kMax ? order > 0 : order < 0) best = &entry;
  }
  return best->item;
}

absl::StatusOr<Value> Unique(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("unique", arguments, {"case_sensitive", "attribute"}));
  Heap& heap = *environment.heap;
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  ASSIGN_OR_RETURN(std::vector<Keyed> keyed,
                   WithKeys(*items, SortKeys(bound[1], bound.IsTrue(0, false), &heap)));
  Dict* seen = heap.NewDict();
  List* unique = heap.NewList(ListKind::kGenerator);
  for (Keyed& entry : keyed) {
    if (!IsHashable(entry.key)) {
      return absl::InvalidArgumentError(
          StrCat("unique cannot compare values of type ", TypeName(entry.key)));
    }
    heap.budget().Spend(seen->index.empty() ? seen->entries.size() : 1);
    RETURN_IF_ERROR(heap.budget().status());
    if (FindEntry(*seen, entry.key) != nullptr) continue;
    heap.Set(seen, std::move(entry.key), true);
    heap.Push(unique, std::move(entry.item));
  }
  return unique;
}

constexpr Filter kSortFilters[] = {
    {"sort", Sort},         {"dictsort", DictSort}, {"min", Extreme<false>},
    {"max", Extreme<true>}, {"unique", Unique},
};

}  // namespace

std::span<const Filter> SortFilters() { return kSortFilters; }

}  // namespace infer::chat
