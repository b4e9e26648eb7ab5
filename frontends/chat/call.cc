// SPDX-License-Identifier: Apache-2.0
//
// The calls of the interpreter: functions, methods and macros.
#include <algorithm>

#include "frontends/chat/attributes.h"
#include "frontends/chat/functions.h"
#include "frontends/chat/interpreter.h"
#include "frontends/chat/methods.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::StatusOr<Arguments> Interpreter::EvaluateArguments(const Expr& expr) {
  Arguments arguments;
  for (size_t i = 1; i < expr.children.size(); ++i) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*expr.children[i]));
    arguments.positional.push_back(std::move(value));
  }
  for (const auto& [name, child] : expr.named) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*child));
    arguments.named.emplace_back(name, std::move(value));
  }
  return arguments;
}

absl::StatusOr<Value> Interpreter::EvaluateCall(const Expr& expr, const Macro* caller) {
  const ExprKind callee_kind = expr.children[0]->kind;
  if (callee_kind == ExprKind::kAttribute || callee_kind == ExprKind::kItem) {
    if (caller == nullptr) return EvaluateMethod(expr);
  }
  ASSIGN_OR_RETURN(Value callee, Evaluate(*expr.children[0]));
  ASSIGN_OR_RETURN(Arguments arguments, EvaluateArguments(expr));
  return CallValue(callee, expr, arguments, caller);
}

absl::StatusOr<Value> Interpreter::EvaluateMethod(const Expr& expr) {
  const Expr& access = *expr.children[0];
  ASSIGN_OR_RETURN(Value object, Evaluate(*access.children[0]));
  absl::StatusOr<Value> attribute;
  std::string name = access.name;
  if (access.kind == ExprKind::kItem) {
    ASSIGN_OR_RETURN(Value key, Evaluate(*access.children[1]));
    if (const MarkedText* text = AsText(key)) name = text->text();
    attribute = GetItem(object, key, heap_);
  } else {
    attribute = GetAttribute(object, name, heap_);
  }
  if (!attribute.ok()) return At(access.offset, attribute.status());
  ASSIGN_OR_RETURN(Arguments arguments, EvaluateArguments(expr));
  const Method* method = FindMethodRecord(object, name);
  const Function* const* function = As<const Function*>(*attribute);
  if (method == nullptr || function == nullptr || *function != &method->function) {
    return CallValue(*attribute, expr, arguments, nullptr);
  }
  if (method->run == nullptr) {
    return At(access.offset,
              absl::UnimplementedError(
                  StrCat("the method '", name, "' of ", TypeName(object), " is not supported")));
  }
  return At(access.offset, method->run(environment_, object, arguments));
}

absl::StatusOr<Value> Interpreter::CallValue(const Value& callee, const Expr& expr,
                                             const Arguments& arguments, const Macro* caller) {
  if (const Macro* const* macro = As<const Macro*>(callee)) {
    return At(expr.offset, CallMacro(**macro, arguments, caller));
  }
  const Function* const* function = As<const Function*>(callee);
  if (function != nullptr && (*function)->run != nullptr) {
    return At(expr.offset, (*function)->run(environment_, arguments));
  }
  if (const Undefined* undefined = As<Undefined>(callee)) {
    return At(expr.offset, absl::InvalidArgumentError(*undefined->what));
  }
  return At(expr.offset, absl::InvalidArgumentError(
                             StrCat("a value of type ", TypeName(callee), " cannot be called")));
}

absl::Status Interpreter::BindParameters(const Macro& macro, const Arguments& arguments) {
  const std::vector<Parameter>& parameters = macro.statement->parameters;
  if (arguments.positional.size() > parameters.size()) {
    return absl::InvalidArgumentError(StrCat("the macro '", macro.statement->name, "' takes ",
                                             parameters.size(), " arguments, got ",
                                             arguments.positional.size()));
  }
  for (const auto& [name, value] : arguments.named) {
    if (name == "caller" || std::ranges::count(parameters, name, &Parameter::name) > 0) continue;
    return absl::InvalidArgumentError(
        StrCat("the macro '", macro.statement->name, "' has no argument named '", name, "'"));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter& parameter = parameters[i];
    auto named = std::ranges::find_if(
        arguments.named, [&](const auto& given) { return given.first == parameter.name; });
    Value value = MakeUndefined(StrCat("parameter '", parameter.name, "' was not provided"));
    if (i < arguments.positional.size()) {
      value = arguments.positional[i];
    } else if (named != arguments.named.end()) {
      value = named->second;
    } else if (parameter.initial != nullptr) {
      ASSIGN_OR_RETURN(value, Evaluate(*parameter.initial));
    }
    SetVariable(parameter.name_id, std::move(value));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Interpreter::CallMacro(const Macro& macro, const Arguments& arguments,
                                             const Macro* caller) {
  Level level(this);
  RETURN_IF_ERROR(Step(macro.statement->offset));
  Scope* const outer = scope_;
  TextBuilder* const outer_out = out_;
  TextBuilder out(&heap_);
  scope_ = EnterScope(macro.scope);
  out_ = &out;
  absl::Status status = BindParameters(macro, arguments);
  if (caller != nullptr) SetVariable(tree_.caller_id, caller);
  if (status.ok()) status = RunBody(macro.statement->body).status();
  LeaveScope(scope_);
  scope_ = outer;
  out_ = outer_out;
  if (!status.ok()) return status;
  return out.Finish();
}

}  // namespace infer::chat
