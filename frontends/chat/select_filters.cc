// SPDX-License-Identifier: Apache-2.0
//
// map, and the filters that choose items by a test.
#include "absl/status/status.h"
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/filters.h"
#include "frontends/chat/tests.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// Returns the arguments from position `skip` on.
Arguments Rest(const Arguments& arguments, size_t skip) {
  Arguments rest;
  rest.named = arguments.named;
  for (size_t i = skip; i < arguments.positional.size(); ++i) {
    rest.positional.push_back(arguments.positional[i]);
  }
  return rest;
}

template <bool kByAttribute, bool kWanted>
absl::StatusOr<Value> Choose(Environment& environment, const Value& input,
                             const Arguments& arguments) {
  Heap& heap = *environment.heap;
  const std::vector<Value>& given = arguments.positional;
  constexpr size_t kTestAt = kByAttribute ? 1 : 0;
  if (kByAttribute && given.empty()) {
    return absl::InvalidArgumentError("selectattr and rejectattr need the name of an attribute");
  }
  TestFunction test = nullptr;
  if (given.size() > kTestAt) {
    const MarkedText* name = AsText(given[kTestAt]);
    test = name == nullptr ? nullptr : FindTest(name->text());
    if (test == nullptr) {
      return absl::InvalidArgumentError(StrCat(
          "the test ", name ? StrCat("'", name->text(), "' ") : std::string(), "is not supported"));
    }
  }
  const Arguments rest = Rest(arguments, kTestAt + 1);
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  List* chosen = heap.NewList(ListKind::kGenerator);
  for (const Value& item : items->items) {
    heap.budget().Spend(1);
    RETURN_IF_ERROR(heap.budget().status());
    Value value = item;
    if (kByAttribute) {
      ASSIGN_OR_RETURN(value, GetPath(item, given[0], heap));
    }
    bool passes = IsTrue(value);
    if (test != nullptr) {
      ASSIGN_OR_RETURN(passes, test(environment, value, rest));
    }
    if (passes == kWanted) heap.Push(chosen, item);
  }
  return chosen;
}

const Value* NamedArgument(const Arguments& arguments, std::string_view name) {
  for (const auto& [given, value] : arguments.named) {
    if (given == name) return &value;
  }
  return nullptr;
}

absl::StatusOr<Value> Map(Environment& environment, const Value& input,
                          const Arguments& arguments) {
  Heap& heap = *environment.heap;
  const Value* attribute = NamedArgument(arguments, "attribute");
  FilterFunction filter = nullptr;
  if (attribute == nullptr || !arguments.positional.empty()) {
    const MarkedText* name =
        arguments.positional.empty() ? nullptr : AsText(arguments.positional[0]);
    filter = name == nullptr ? nullptr : FindFilter(name->text());
    // Without a bound, map('map', 'map', ...) would nest as deep as its arguments.
    if (filter == nullptr || filter == Map) {
      return absl::InvalidArgumentError(
          "map needs the name of a supported filter, or attribute='name'");
    }
  }
  const Value* missing = NamedArgument(arguments, "default");
  const Arguments rest = filter ? Rest(arguments, 1) : Arguments();
  ASSIGN_OR_RETURN(List * items, Iterate(input, heap));
  List* mapped = heap.NewList(ListKind::kGenerator);
  for (const Value& item : items->items) {
    heap.budget().Spend(1);
    RETURN_IF_ERROR(heap.budget().status());
    Value value;
    if (filter != nullptr) {
      ASSIGN_OR_RETURN(value, filter(environment, item, rest));
    } else {
      ASSIGN_OR_RETURN(value, GetPath(item, *attribute, heap));
      if (missing != nullptr && IsUndefined(value)) value = *missing;
    }
    heap.Push(mapped, std::move(value));
  }
  return mapped;
}

constexpr Filter kSelectFilters[] = {
    {"map", Map},
    {"select", Choose<false, true>},
    {"reject", Choose<false, false>},
    {"selectattr", Choose<true, true>},
    {"rejectattr", Choose<true, false>},
};

}  // namespace

std::span<const Filter> SelectFilters() { return kSelectFilters; }

}  // namespace infer::chat
