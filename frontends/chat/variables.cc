// SPDX-License-Identifier: Apache-2.0
//
// The variables of the interpreter: scopes, assignments, macros.
#include <utility>

#include "frontends/chat/attributes.h"
#include "frontends/chat/interpreter.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

const Value* Interpreter::Find(int name_id) const {
  for (const Scope* scope = scope_; scope != nullptr; scope = scope->parent) {
    for (const auto& [id, value] : scope->variables) {
      if (id == name_id) return &value;
    }
  }
  const Value& global = globals_[static_cast<size_t>(name_id)];
  return IsUndefined(global) ? nullptr : &global;
}

void Interpreter::SetVariable(int name_id, Value value) {
  for (auto& [id, held] : scope_->variables) {
    if (id != name_id) continue;
    held = std::move(value);
    return;
  }
  auto& variables = scope_->variables;
  if (variables.size() == variables.capacity()) {
    heap_.budget().Allow((variables.size() + 1) * sizeof(variables[0]));
  }
  variables.emplace_back(name_id, std::move(value));
}

Scope* Interpreter::EnterScope(Scope* parent) {
  if (free_scopes_.empty()) {
    heap_.budget().Allow(sizeof(Scope));
    free_scopes_.push_back(&scopes_.emplace_back());
  }
  Scope* scope = free_scopes_.back();
  free_scopes_.pop_back();
  scope->parent = parent;
  return scope;
}

void Interpreter::LeaveScope(Scope* scope) {
  if (scope->captured) return;
  scope->variables.clear();
  free_scopes_.push_back(scope);
}

const Macro* Interpreter::NewMacro(const Statement& statement) {
  heap_.budget().Allow(sizeof(Macro) + sizeof(Scope));
  for (Scope* scope = scope_; scope != nullptr && !scope->captured; scope = scope->parent) {
    scope->captured = true;
  }
  macros_.push_back({&statement, scope_});
  return &macros_.back();
}

absl::Status Interpreter::Assign(const Target& target, const Value& value) {
  if (target.parts.empty()) {
    if (!target.attribute.empty()) return AssignAttribute(target, value);
    SetVariable(target.name_id, value);
    return absl::OkStatus();
  }
  absl::StatusOr<List*> items = Iterate(value, heap_);
  if (!items.ok()) return At(target.offset, items.status());
  if ((*items)->items.size() != target.parts.size()) {
    return At(target.offset, absl::InvalidArgumentError(
                                 StrCat("cannot unpack ", (*items)->items.size(), " values into ",
                                        target.parts.size(), " variables")));
  }
  for (size_t i = 0; i < target.parts.size(); ++i) {
    const Value item = (*items)->items[i];
    RETURN_IF_ERROR(Assign(target.parts[i], item));
  }
  return absl::OkStatus();
}

absl::Status Interpreter::AssignAttribute(const Target& target, const Value& value) {
  const Value* object = Find(target.name_id);
  Namespace* const* space = object == nullptr ? nullptr : As<Namespace*>(*object);
  if (space == nullptr) {
    return At(target.offset,
              absl::InvalidArgumentError(
                  "only attributes of a namespace can be set; create one with namespace()"));
  }
  heap_.Set((*space)->attributes, heap_.NewString(target.attribute), value);
  return absl::OkStatus();
}

}  // namespace infer::chat
