// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/tree.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// The variables of a block. Reading goes on in the parent, setting does not.
struct Scope {
  Scope* parent = nullptr;
  bool captured = false;  // a macro refers to it, so it must not be used again
  std::vector<std::pair<int, Value>> variables;
};

// A macro or the body of a call block, with the scope that it was defined in.
struct Macro {
  const Statement* statement;
  Scope* scope;
};

// Runs a template once. Errors name the place in the template.
class Interpreter {
 public:
  Interpreter(const TemplateTree& tree, Environment* environment, const TemplateLimits& limits,
              size_t output_bytes)
      : tree_(tree),
        environment_(*environment),
        heap_(*environment->heap),
        max_depth_(limits.depth),
        output_bytes_(output_bytes) {}

  // `context` holds the variables of the request.
  absl::StatusOr<MarkedText> Run(const Dict& context);

 private:
  enum class Flow : uint8_t { kNext, kBreak, kContinue };

  // Counts nesting during its lifetime.
  class Level {
   public:
    explicit Level(Interpreter* interpreter) : depth_(interpreter->depth_) { ++depth_; }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  absl::Status At(size_t offset, const absl::Status& status) const;
  absl::StatusOr<Value> At(size_t offset, absl::StatusOr<Value> value) const;
  absl::Status Step(size_t offset);

  // expressions: evaluate.cc
  absl::StatusOr<Value> Evaluate(const Expr& expr);
  absl::StatusOr<Value> EvaluateName(const Expr& expr);
  absl::StatusOr<Value> EvaluateItems(const Expr& expr, ListKind kind);
  absl::StatusOr<Value> EvaluateDict(const Expr& expr);
  absl::StatusOr<Value> EvaluateAccess(const Expr& expr);
  absl::StatusOr<Value> EvaluateSlice(const Expr& expr);
  absl::StatusOr<Value> EvaluateCall(const Expr& expr, const Macro* caller);
  absl::StatusOr<Value> EvaluateMethod(const Expr& expr);
  absl::StatusOr<Value> EvaluateFilter(const Expr& expr);
  absl::StatusOr<Value> EvaluateTest(const Expr& expr);
  absl::StatusOr<Value> EvaluateLogic(const Expr& expr);
  absl::StatusOr<Value> EvaluateConditional(const Expr& expr);
  absl::StatusOr<Value> EvaluateCompare(const Expr& expr);
  absl::StatusOr<Value> EvaluateConcat(const Expr& expr);
  absl::StatusOr<Value> EvaluateBinary(const Expr& expr);
  absl::StatusOr<Value> EvaluateSign(const Expr& expr);
  absl::StatusOr<Arguments> EvaluateArguments(const Expr& expr);
  absl::StatusOr<Value> CallValue(const Value& callee, const Expr& expr, const Arguments& arguments,
                                  const Macro* caller);
  absl::StatusOr<Value> CallMacro(const Macro& macro, const Arguments& arguments,
                                  const Macro* caller);
  absl::Status BindParameters(const Macro& macro, const Arguments& arguments);

  // statements: run_statements.cc
  absl::StatusOr<Flow> RunBody(const Body& body);
  absl::StatusOr<Flow> RunStatement(const Statement& statement);
  absl::Status RunPrint(const Statement& statement);
  absl::StatusOr<Flow> RunIf(const Statement& statement);
  absl::StatusOr<Flow> RunFor(const Statement& statement);
  absl::StatusOr<List*> ItemsToVisit(const Statement& statement);
  absl::StatusOr<Flow> RunLoop(const Statement& statement, List* items);
  absl::Status RunSet(const Statement& statement);
  absl::StatusOr<Flow> RunCapture(const Statement& statement);
  absl::Status RunCallBlock(const Statement& statement);
  absl::StatusOr<Flow> RunWith(const Statement& statement);
  absl::Status CheckOutput(size_t offset) const;

  // variables: variables.cc
  absl::Status Assign(const Target& target, const Value& value);
  absl::Status AssignAttribute(const Target& target, const Value& value);
  const Value* Find(int name_id) const;
  void SetVariable(int name_id, Value value);
  Scope* EnterScope(Scope* parent);
  void LeaveScope(Scope* scope);
  const Macro* NewMacro(const Statement& statement);

  const TemplateTree& tree_;
  Environment& environment_;
  Heap& heap_;
  int max_depth_;
  size_t output_bytes_;
  int depth_ = 0;
  int loop_depth_ = 0;
  TextBuilder* out_ = nullptr;  // of the template or of the block that is captured
  Scope* scope_ = nullptr;
  std::vector<Value> globals_;  // by name
  std::deque<Scope> scopes_;
  std::vector<Scope*> free_scopes_;
  std::deque<Macro> macros_;
  std::deque<Loop> loops_;
};

}  // namespace infer::chat
