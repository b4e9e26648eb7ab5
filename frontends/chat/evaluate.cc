// SPDX-License-Identifier: Apache-2.0
//
// The expressions of the interpreter.
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/functions.h"
#include "frontends/chat/interpreter.h"
#include "frontends/chat/lexer.h"
#include "frontends/chat/methods.h"
#include "frontends/chat/operators.h"
#include "frontends/chat/python_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::Status Interpreter::At(size_t offset, const absl::Status& status) const {
  if (status.ok() || ToStd(status.message()).starts_with(kTemplateErrorStart)) return status;
  absl::Status placed = TemplateError(tree_.source, offset, ToStd(status.message()));
  return absl::Status(status.code(), placed.message());
}

absl::StatusOr<Value> Interpreter::At(size_t offset, absl::StatusOr<Value> value) const {
  if (!value.ok()) return At(offset, value.status());
  if (!heap_.budget().ok()) return At(offset, heap_.budget().status());
  return value;
}

absl::Status Interpreter::Step(size_t offset) {
  heap_.budget().Spend(1);
  if (!heap_.budget().ok()) return At(offset, heap_.budget().status());
  if (depth_ > max_depth_) {
    return At(offset, absl::ResourceExhaustedError(
                          StrCat("macros and blocks nested deeper than ", max_depth_,
                                 "; correct the recursion in the template")));
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> Interpreter::Evaluate(const Expr& expr) {
  if (expr.kind == ExprKind::kConstant) return expr.constant;
  Level level(this);
  RETURN_IF_ERROR(Step(expr.offset));
  switch (expr.kind) {
    case ExprKind::kConstant:
      return expr.constant;
    case ExprKind::kName:
      return EvaluateName(expr);
    case ExprKind::kList:
      return EvaluateItems(expr, ListKind::kList);
    case ExprKind::kTuple:
      return EvaluateItems(expr, ListKind::kTuple);
    case ExprKind::kDict:
      return EvaluateDict(expr);
    case ExprKind::kAttribute:
    case ExprKind::kItem:
      return EvaluateAccess(expr);
    case ExprKind::kSlice:
      return EvaluateSlice(expr);
    case ExprKind::kCall:
      return EvaluateCall(expr, nullptr);
    case ExprKind::kFilter:
      return EvaluateFilter(expr);
    case ExprKind::kIs:
      return EvaluateTest(expr);
    case ExprKind::kNot:
    case ExprKind::kAnd:
    case ExprKind::kOr:
      return EvaluateLogic(expr);
    case ExprKind::kConditional:
      return EvaluateConditional(expr);
    case ExprKind::kCompare:
      return EvaluateCompare(expr);
    case ExprKind::kConcat:
      return EvaluateConcat(expr);
    case ExprKind::kBinary:
      return EvaluateBinary(expr);
    case ExprKind::kNegate:
    case ExprKind::kPositive:
      return EvaluateSign(expr);
  }
  return Value();
}

absl::StatusOr<Value> Interpreter::EvaluateName(const Expr& expr) {
  if (const Value* found = Find(expr.name_id)) return *found;
  return MakeUndefined(StrCat("'", expr.name, "' is undefined"));
}

absl::StatusOr<Value> Interpreter::EvaluateItems(const Expr& expr, ListKind kind) {
  List* list = heap_.NewList(kind);
  for (const ExprPtr& child : expr.children) {
    ASSIGN_OR_RETURN(Value item, Evaluate(*child));
    heap_.Push(list, std::move(item));
  }
  return list;
}

absl::StatusOr<Value> Interpreter::EvaluateDict(const Expr& expr) {
  Dict* dict = heap_.NewDict();
  for (size_t i = 0; i + 1 < expr.children.size(); i += 2) {
    ASSIGN_OR_RETURN(Value key, Evaluate(*expr.children[i]));
    if (!IsHashable(key)) {
      return At(expr.children[i]->offset,
                absl::InvalidArgumentError(
                    StrCat("a value of type ", TypeName(key), " cannot be the key of a dict")));
    }
    ASSIGN_OR_RETURN(Value value, Evaluate(*expr.children[i + 1]));
    heap_.Set(dict, std::move(key), std::move(value));
  }
  return dict;
}

absl::StatusOr<Value> Interpreter::EvaluateAccess(const Expr& expr) {
  ASSIGN_OR_RETURN(Value object, Evaluate(*expr.children[0]));
  if (expr.kind == ExprKind::kAttribute) {
    return At(expr.offset, GetAttribute(object, expr.name, heap_));
  }
  ASSIGN_OR_RETURN(Value key, Evaluate(*expr.children[1]));
  return At(expr.offset, GetItem(object, key, heap_));
}

absl::StatusOr<Value> Interpreter::EvaluateSlice(const Expr& expr) {
  ASSIGN_OR_RETURN(Value object, Evaluate(*expr.children[0]));
  Value bounds[3];
  const Value* given[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    if (expr.children[i + 1] == nullptr) continue;
    ASSIGN_OR_RETURN(bounds[i], Evaluate(*expr.children[i + 1]));
    given[i] = &bounds[i];
  }
  return At(expr.offset, GetSlice(object, given[0], given[1], given[2], heap_));
}

absl::StatusOr<Value> Interpreter::EvaluateFilter(const Expr& expr) {
  ASSIGN_OR_RETURN(Value input, Evaluate(*expr.children[0]));
  ASSIGN_OR_RETURN(Arguments arguments, EvaluateArguments(expr));
  return At(expr.offset, expr.filter(environment_, input, arguments));
}

absl::StatusOr<Value> Interpreter::EvaluateTest(const Expr& expr) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*expr.children[0]));
  ASSIGN_OR_RETURN(Arguments arguments, EvaluateArguments(expr));
  absl::StatusOr<bool> passes = expr.test(environment_, value, arguments);
  if (!passes.ok()) return At(expr.offset, passes.status());
  return *passes;
}

absl::StatusOr<Value> Interpreter::EvaluateLogic(const Expr& expr) {
  ASSIGN_OR_RETURN(Value left, Evaluate(*expr.children[0]));
  if (expr.kind == ExprKind::kNot) return !IsTrue(left);
  if (IsTrue(left) == (expr.kind == ExprKind::kOr)) return left;
  return Evaluate(*expr.children[1]);
}

absl::StatusOr<Value> Interpreter::EvaluateConditional(const Expr& expr) {
  ASSIGN_OR_RETURN(Value condition, Evaluate(*expr.children[1]));
  if (IsTrue(condition)) return Evaluate(*expr.children[0]);
  if (expr.children[2] != nullptr) return Evaluate(*expr.children[2]);
  return MakeUndefined("the condition of this expression is false and it has no else");
}

absl::StatusOr<Value> Interpreter::EvaluateCompare(const Expr& expr) {
  ASSIGN_OR_RETURN(Value left, Evaluate(*expr.children[0]));
  for (size_t i = 0; i < expr.operators.size(); ++i) {
    ASSIGN_OR_RETURN(Value right, Evaluate(*expr.children[i + 1]));
    absl::StatusOr<bool> holds = Relate(expr.operators[i], left, right, heap_);
    if (!holds.ok()) return At(expr.offset, holds.status());
    if (!*holds) return false;
    left = std::move(right);
  }
  return true;
}

absl::StatusOr<Value> Interpreter::EvaluateConcat(const Expr& expr) {
  TextBuilder out(&heap_);
  for (const ExprPtr& child : expr.children) {
    ASSIGN_OR_RETURN(Value part, Evaluate(*child));
    if (absl::Status status = AppendStr(part, &out); !status.ok()) {
      return At(child->offset, status);
    }
  }
  return At(expr.offset, out.Finish());
}

absl::StatusOr<Value> Interpreter::EvaluateBinary(const Expr& expr) {
  ASSIGN_OR_RETURN(Value left, Evaluate(*expr.children[0]));
  ASSIGN_OR_RETURN(Value right, Evaluate(*expr.children[1]));
  return At(expr.offset, Calculate(expr.operators[0], left, right, heap_));
}

absl::StatusOr<Value> Interpreter::EvaluateSign(const Expr& expr) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*expr.children[0]));
  if (expr.kind == ExprKind::kPositive && AsNumber(value) && !Is<bool>(value)) return value;
  absl::StatusOr<Value> negative = Negate(value);
  if (expr.kind == ExprKind::kPositive && negative.ok()) negative = Negate(*negative);
  return At(expr.offset, std::move(negative));
}

}  // namespace infer::chat
