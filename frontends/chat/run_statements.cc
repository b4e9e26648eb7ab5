// SPDX-License-Identifier: Apache-2.0
//
// The statements of the interpreter.
#include "frontends/chat/attributes.h"
#include "frontends/chat/compare.h"
#include "frontends/chat/functions.h"
#include "frontends/chat/interpreter.h"
#include "frontends/chat/lexer.h"
#include "frontends/chat/python_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::StatusOr<MarkedText> Interpreter::Run(const Dict& context) {
  globals_.assign(tree_.names.size(), Value());
  for (size_t i = 0; i < tree_.names.size(); ++i) {
    if (const Value* given = FindKey(context, tree_.names[i])) {
      globals_[i] = *given;
    } else if (const Function* function = FindFunction(tree_.names[i])) {
      globals_[i] = function;
    }
  }
  TextBuilder out(&heap_);
  out_ = &out;
  scope_ = EnterScope(nullptr);
  RETURN_IF_ERROR(RunBody(tree_.body).status());
  return out.Take();
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunBody(const Body& body) {
  for (const auto& statement : body) {
    ASSIGN_OR_RETURN(Flow flow, RunStatement(*statement));
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunStatement(const Statement& statement) {
  Level level(this);
  RETURN_IF_ERROR(Step(statement.offset));
  switch (statement.kind) {
    case StatementKind::kText:
      out_->Append(statement.text);
      RETURN_IF_ERROR(CheckOutput(statement.offset));
      break;
    case StatementKind::kPrint:
      RETURN_IF_ERROR(RunPrint(statement));
      break;
    case StatementKind::kIf:
      return RunIf(statement);
    case StatementKind::kFor:
      return RunFor(statement);
    case StatementKind::kSet:
      RETURN_IF_ERROR(RunSet(statement));
      break;
    case StatementKind::kSetBlock:
    case StatementKind::kFilterBlock:
      return RunCapture(statement);
    case StatementKind::kMacro:
      SetVariable(statement.name_id, NewMacro(statement));
      break;
    case StatementKind::kCallBlock:
      RETURN_IF_ERROR(RunCallBlock(statement));
      break;
    case StatementKind::kWith:
      return RunWith(statement);
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kNext;
}

absl::Status Interpreter::CheckOutput(size_t offset) const {
  if (!heap_.budget().ok()) return At(offset, heap_.budget().status());
  if (out_->text().size() <= output_bytes_) return absl::OkStatus();
  return At(offset, absl::ResourceExhaustedError(
                        StrCat("the rendered text has more than ", output_bytes_,
                               " bytes; shorten the conversation or correct the template")));
}

absl::Status Interpreter::RunPrint(const Statement& statement) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*statement.value));
  RETURN_IF_ERROR(At(statement.offset, AppendStr(value, out_)));
  return CheckOutput(statement.offset);
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunIf(const Statement& statement) {
  for (const Branch& branch : statement.branches) {
    if (branch.condition != nullptr) {
      ASSIGN_OR_RETURN(Value condition, Evaluate(*branch.condition));
      if (!IsTrue(condition)) continue;
    }
    return RunBody(branch.body);
  }
  return Flow::kNext;
}

absl::StatusOr<List*> Interpreter::ItemsToVisit(const Statement& statement) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*statement.value));
  absl::StatusOr<List*> items = Iterate(value, heap_);
  if (!items.ok()) return At(statement.value->offset, items.status());
  if (statement.condition == nullptr) return *items;
  List* chosen = heap_.NewList();
  Scope* const outer = scope_;
  scope_ = EnterScope(outer);
  absl::Status status;
  for (size_t i = 0; i < (*items)->items.size() && status.ok(); ++i) {
    const Value item = (*items)->items[i];
    status = Assign(statement.targets[0], item);
    if (!status.ok()) break;
    absl::StatusOr<Value> passes = Evaluate(*statement.condition);
    status = passes.status();
    if (passes.ok() && IsTrue(*passes)) heap_.Push(chosen, item);
  }
  LeaveScope(scope_);
  scope_ = outer;
  if (!status.ok()) return status;
  return chosen;
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunFor(const Statement& statement) {
  ASSIGN_OR_RETURN(List * items, ItemsToVisit(statement));
  Scope* const outer = scope_;
  if (items->items.empty()) {
    scope_ = EnterScope(outer);
    absl::StatusOr<Flow> flow = RunBody(statement.otherwise);
    LeaveScope(scope_);
    scope_ = outer;
    return flow;
  }
  ++loop_depth_;
  absl::StatusOr<Flow> flow = RunLoop(statement, items);
  --loop_depth_;
  scope_ = outer;
  return flow;
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunLoop(const Statement& statement, List* items) {
  Scope* const outer = scope_;
  heap_.budget().Allow(sizeof(Loop));
  Loop& loop = loops_.emplace_back();
  loop.items = &items->items;
  loop.depth = loop_depth_;
  for (size_t i = 0; i < items->items.size(); ++i) {
    loop.index = i;
    scope_ = EnterScope(outer);
    SetVariable(tree_.loop_id, &loop);
    const Value item = items->items[i];
    absl::Status assigned = Assign(statement.targets[0], item);
    absl::StatusOr<Flow> flow = assigned.ok() ? RunBody(statement.body) : assigned;
    LeaveScope(scope_);
    RETURN_IF_ERROR(flow.status());
    if (*flow == Flow::kBreak) break;
  }
  return Flow::kNext;
}

absl::Status Interpreter::RunSet(const Statement& statement) {
  ASSIGN_OR_RETURN(Value value, Evaluate(*statement.value));
  return Assign(statement.targets[0], value);
}

// Runs the body into a text of its own, which is filtered and then assigned or printed.
absl::StatusOr<Interpreter::Flow> Interpreter::RunCapture(const Statement& statement) {
  Scope* const outer = scope_;
  TextBuilder* const outer_out = out_;
  TextBuilder out(&heap_);
  out_ = &out;
  scope_ = EnterScope(outer);
  absl::StatusOr<Flow> flow = RunBody(statement.body);
  out_ = outer_out;
  absl::StatusOr<Value> value = Value();
  if (flow.ok() && *flow == Flow::kNext) {
    value = out.Finish();
    if (statement.value != nullptr) {
      SetVariable(tree_.captured_id, *value);
      value = Evaluate(*statement.value);
    }
  }
  LeaveScope(scope_);
  scope_ = outer;
  if (!flow.ok() || *flow != Flow::kNext) return flow;
  RETURN_IF_ERROR(value.status());
  if (statement.kind == StatementKind::kSetBlock) {
    RETURN_IF_ERROR(Assign(statement.targets[0], *value));
    return Flow::kNext;
  }
  RETURN_IF_ERROR(At(statement.offset, AppendStr(*value, out_)));
  RETURN_IF_ERROR(CheckOutput(statement.offset));
  return Flow::kNext;
}

absl::Status Interpreter::RunCallBlock(const Statement& statement) {
  ASSIGN_OR_RETURN(Value value, EvaluateCall(*statement.value, NewMacro(statement)));
  RETURN_IF_ERROR(At(statement.offset, AppendStr(value, out_)));
  return CheckOutput(statement.offset);
}

absl::StatusOr<Interpreter::Flow> Interpreter::RunWith(const Statement& statement) {
  std::vector<Value> values;
  for (const ExprPtr& expr : statement.values) {
    ASSIGN_OR_RETURN(Value value, Evaluate(*expr));
    values.push_back(std::move(value));
  }
  Scope* const outer = scope_;
  scope_ = EnterScope(outer);
  absl::StatusOr<Flow> flow = Flow::kNext;
  for (size_t i = 0; i < values.size() && flow.ok(); ++i) {
    if (absl::Status set = Assign(statement.targets[i], values[i]); !set.ok()) flow = set;
  }
  if (flow.ok()) flow = RunBody(statement.body);
  LeaveScope(scope_);
  scope_ = outer;
  return flow;
}

}  // namespace infer::chat
