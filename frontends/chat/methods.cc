// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/methods.h"

#include <algorithm>

namespace infer::chat {
namespace {

std::span<const Method> MethodsOf(const Value& self) {
  if (AsText(self)) return StringMethods();
  if (AsDict(self)) return DictMethods();
  if (Is<Loop*>(self)) return LoopMethods();
  const List* list = AsList(self);
  if (list == nullptr) return {};
  if (list->kind == ListKind::kList) return ListMethods();
  return list->kind == ListKind::kTuple ? TupleMethods() : std::span<const Method>();
}

}  // namespace

const Method* FindMethodRecord(const Value& self, std::string_view name) {
  const std::span<const Method> methods = MethodsOf(self);
  const auto it = std::ranges::find_if(
      methods, [&](const Method& method) { return method.function.name == name; });
  return it == methods.end() ? nullptr : &*it;
}

const Function* FindMethod(const Value& self, std::string_view name) {
  const Method* method = FindMethodRecord(self, name);
  return method == nullptr ? nullptr : &method->function;
}

}  // namespace infer::chat
