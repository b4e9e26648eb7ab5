// SPDX-License-Identifier: Apache-2.0
//
// Methods of lists, tuples, dicts and `loop`. Those that change a list or dict are refused by
// Hugging Face's sandbox; templates that were written for other programs use append and pop.
#include <algorithm>

#include "absl/status/status.h"
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/methods.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

absl::StatusOr<Value> ListAppend(Environment& environment, const Value& self,
                                 const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("append", arguments, {"item"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("append needs an item");
  environment.heap->Push(AsList(self), *bound[0]);
  return None();
}

absl::StatusOr<Value> ListPop(Environment& environment, const Value& self,
                              const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("pop", arguments, {"index"}));
  ASSIGN_OR_RETURN(int64_t index, bound.Integer(0, -1));
  std::vector<Value>& items = AsList(self)->items;
  const auto count = static_cast<int64_t>(items.size());
  if (index < 0) index += count;
  if (index < 0 || index >= count) return absl::InvalidArgumentError("pop: there is no such item");
  environment.heap->budget().Spend(items.size() / 8);
  Value taken = items[static_cast<size_t>(index)];
  items.erase(items.begin() + index);
  return taken;
}

absl::StatusOr<Value> ListIndex(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("index", arguments, {"item"}));
  const std::vector<Value>& items = AsList(self)->items;
  for (size_t i = 0; bound[0] != nullptr && i < items.size(); ++i) {
    if (Equal(items[i], *bound[0], environment.heap->budget())) return static_cast<int64_t>(i);
  }
  return absl::InvalidArgumentError("index: the item is not in the list");
}

absl::StatusOr<Value> ListCount(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound, BoundArguments::Bind("count", arguments, {"item"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("count needs an item");
  return static_cast<int64_t>(std::ranges::count_if(AsList(self)->items, [&](const Value& item) {
    return Equal(item, *bound[0], environment.heap->budget());
  }));
}

absl::StatusOr<Value> DictItems(Environment& environment, const Value& self,
                                const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("items", arguments, {}).status());
  return environment.heap->NewPairs(*AsDict(self), ListKind::kItems);
}

template <ListKind kKind>
absl::StatusOr<Value> DictView(Environment& environment, const Value& self,
                               const Arguments& arguments) {
  RETURN_IF_ERROR(BoundArguments::Bind("the method", arguments, {}).status());
  Heap& heap = *environment.heap;
  List* view = heap.NewList(kKind);
  for (const Dict::Entry& entry : AsDict(self)->entries) {
    heap.budget().Spend(1);
    heap.Push(view, kKind == ListKind::kKeys ? entry.key : entry.value);
  }
  return view;
}

absl::StatusOr<Value> DictGet(Environment& environment, const Value& self,
                              const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("get", arguments, {"key", "default"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("get needs a key");
  if (!IsHashable(*bound[0])) {
    return absl::InvalidArgumentError(
        StrCat("a value of type ", TypeName(*bound[0]), " cannot be a key"));
  }
  Dict& dict = *AsDict(self);
  environment.heap->budget().Spend(dict.index.empty() ? dict.entries.size() / 8 : 0);
  const Dict::Entry* entry = FindEntry(dict, *bound[0]);
  return entry ? entry->value : bound.ValueOr(1, None());
}

absl::StatusOr<Value> DictPop(Environment& environment, const Value& self,
                              const Arguments& arguments) {
  ASSIGN_OR_RETURN(BoundArguments bound,
                   BoundArguments::Bind("pop", arguments, {"key", "default"}));
  if (bound[0] == nullptr) return absl::InvalidArgumentError("pop needs a key");
  Dict& dict = *AsDict(self);
  Dict::Entry* entry = FindEntry(dict, *bound[0]);
  if (entry == nullptr) {
    if (bound[1] != nullptr) return *bound[1];
    return absl::InvalidArgumentError("pop: the dict has no such key; give a default");
  }
  environment.heap->budget().Spend(dict.entries.size());
  Value taken = entry->value;
  dict.entries.erase(dict.entries.begin() + (entry - dict.entries.data()));
  dict.index.clear();  // positions have changed; the next new key builds it again
  return taken;
}

absl::StatusOr<Value> LoopCycle(Environment&, const Value& self, const Arguments& arguments) {
  if (arguments.positional.empty()) return absl::InvalidArgumentError("cycle needs items");
  return arguments.positional[(*As<Loop*>(self))->index % arguments.positional.size()];
}

absl::StatusOr<Value> LoopChanged(Environment& environment, const Value& self,
                                  const Arguments& arguments) {
  Loop& loop = **As<Loop*>(self);
  List* given = environment.heap->NewList(ListKind::kTuple);
  for (const Value& value : arguments.positional) environment.heap->Push(given, value);
  const bool changed = IsUndefined(loop.changed_before) ||
                       !Equal(loop.changed_before, given, environment.heap->budget());
  loop.changed_before = given;
  return changed;
}

constexpr Method kListMethods[] = {
    {{"append"}, ListAppend}, {{"pop"}, ListPop},    {{"index"}, ListIndex},
    {{"count"}, ListCount},   {{"clear"}, nullptr},  {{"copy"}, nullptr},
    {{"extend"}, nullptr},    {{"insert"}, nullptr}, {{"remove"}, nullptr},
    {{"reverse"}, nullptr},   {{"sort"}, nullptr},
};
constexpr Method kTupleMethods[] = {{{"index"}, ListIndex}, {{"count"}, ListCount}};
constexpr Method kDictMethods[] = {
    {{"items"}, DictItems},
    {{"keys"}, DictView<ListKind::kKeys>},
    {{"values"}, DictView<ListKind::kValues>},
    {{"get"}, DictGet},
    {{"pop"}, DictPop},
    {{"clear"}, nullptr},
    {{"copy"}, nullptr},
    {{"fromkeys"}, nullptr},
    {{"popitem"}, nullptr},
    {{"setdefault"}, nullptr},
    {{"update"}, nullptr},
};
constexpr Method kLoopMethods[] = {{{"cycle"}, LoopCycle}, {{"changed"}, LoopChanged}};

}  // namespace

std::span<const Method> ListMethods() { return kListMethods; }
std::span<const Method> TupleMethods() { return kTupleMethods; }
std::span<const Method> DictMethods() { return kDictMethods; }
std::span<const Method> LoopMethods() { return kLoopMethods; }

}  // namespace infer::chat
