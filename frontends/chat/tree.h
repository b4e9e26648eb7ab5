// SPDX-License-Identifier: Apache-2.0
//
// A compiled template: statements and expressions, built once by the parser and only read later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontends/chat/filters.h"
#include "frontends/chat/tests.h"
#include "frontends/chat/value.h"

namespace infer::chat {

struct Expr;
struct Statement;
using ExprPtr = std::unique_ptr<const Expr>;
using Body = std::vector<std::unique_ptr<const Statement>>;

enum class ExprKind : uint8_t {
  kConstant,
  kName,
  kList,
  kTuple,
  kDict,       // children: key, value, key, value, ...
  kAttribute,  // children[0].name
  kItem,       // children[0][children[1]]
  kSlice,      // children[0][children[1]:children[2]:children[3]], parts may be null
  kCall,       // children[0](children[1], ..., named)
  kFilter,     // children[0] | name(children[1], ..., named)
  kIs,         // children[0] is name(children[1], ..., named)
  kNot,
  kNegate,
  kPositive,
  kAnd,
  kOr,
  kConditional,  // children[0] if children[1] else children[2], which may be null
  kCompare,      // children joined by operators
  kConcat,       // children joined by ~
  kBinary,       // children[0] op children[1]
};

enum class Operator : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
};

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  size_t offset = 0;  // in the template
  int depth = 1;      // of the tree
  Value constant;
  std::string name;  // variable, attribute, filter or test
  int name_id = -1;  // of a variable
  FilterFunction filter = nullptr;
  TestFunction test = nullptr;
  std::vector<Operator> operators;
  std::vector<ExprPtr> children;
  std::vector<std::pair<std::string, ExprPtr>> named;  // arguments
};

inline std::unique_ptr<Expr> NewExpr(ExprKind kind, size_t offset) {
  auto expr = std::make_unique<Expr>();
  expr->kind = kind;
  expr->offset = offset;
  return expr;
}

// What `set` and `for` assign to: a variable, an attribute of a namespace, or a tuple of targets.
struct Target {
  size_t offset = 0;
  int name_id = -1;
  std::string attribute;      // empty for a variable
  std::vector<Target> parts;  // not empty for a tuple
};

struct Parameter {
  int name_id;
  std::string name;
  ExprPtr initial;  // null if it has no default
};

enum class StatementKind : uint8_t {
  kText,
  kPrint,
  kIf,
  kFor,
  kSet,
  kSetBlock,
  kMacro,
  kCallBlock,
  kFilterBlock,
  kWith,
  kBreak,
  kContinue,
};

struct Branch {
  ExprPtr condition;  // null for else
  Body body;
};

struct Statement {
  StatementKind kind = StatementKind::kText;
  size_t offset = 0;
  MarkedText text;
  // The value to print, iterate, assign or call; of a filter block and a set block the filters,
  // applied to `captured`.
  ExprPtr value;
  ExprPtr condition;                  // the filter of a for loop
  std::vector<Target> targets;        // of set, for and with
  std::vector<ExprPtr> values;        // of with
  std::vector<Branch> branches;       // of if
  std::vector<Parameter> parameters;  // of macro and call
  std::string name;                   // of a macro
  int name_id = -1;
  Body body;
  Body otherwise;  // else of a for loop
};

// The variable that the text of a block is bound to while its filters run; no name a template can
// write.
inline constexpr std::string_view kCapturedName = " captured";

struct TemplateTree {
  std::string source;              // with \n as line ends
  std::vector<std::string> names;  // of variables, by id
  Body body;
  int loop_id = -1;
  int caller_id = -1;
  int captured_id = -1;
};

}  // namespace infer::chat
