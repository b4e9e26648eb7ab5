// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "frontends/chat/token_stream.h"
#include "frontends/chat/tree.h"

namespace infer::chat {

// Parses expressions with Jinja's precedence: conditional, or, and, not, comparison, + -, ~,
// * / // %, **, sign, then attributes, calls, filters and tests.
class ExpressionParser {
 public:
  explicit ExpressionParser(TokenStream* stream) : stream_(*stream) {}

  // An expression without commas; without `if` if not `conditional`.
  absl::StatusOr<ExprPtr> Parse(bool conditional = true);

  // One expression, or a tuple of several separated by commas.
  absl::StatusOr<ExprPtr> ParseTuple(bool conditional = true);

  // The filters that follow an expression without its bar: `name(args) | name`.
  absl::StatusOr<ExprPtr> ParseFilterChain(ExprPtr input);

  absl::StatusOr<ExprPtr> ParsePrimaryWithPostfix();

 private:
  using Rule = absl::StatusOr<ExprPtr> (ExpressionParser::*)();

  absl::StatusOr<ExprPtr> ParseOr();
  absl::StatusOr<ExprPtr> ParseAnd();
  absl::StatusOr<ExprPtr> ParseNot();
  absl::StatusOr<ExprPtr> ParseCompare();
  absl::StatusOr<ExprPtr> ParseSum();
  absl::StatusOr<ExprPtr> ParseConcat();
  absl::StatusOr<ExprPtr> ParseProduct();
  absl::StatusOr<ExprPtr> ParsePower();
  absl::StatusOr<ExprPtr> ParseUnary();
  absl::StatusOr<ExprPtr> ParseSigned();
  absl::StatusOr<ExprPtr> ParsePrimary();
  absl::StatusOr<ExprPtr> ParseParentheses();
  absl::StatusOr<ExprPtr> ParseList();
  absl::StatusOr<ExprPtr> ParseDict();
  absl::StatusOr<ExprPtr> ParsePostfix(ExprPtr expr);
  absl::StatusOr<ExprPtr> ParseSubscript(ExprPtr expr);
  absl::StatusOr<ExprPtr> ParseDot(ExprPtr expr);
  absl::StatusOr<ExprPtr> ParseFilter(ExprPtr input);
  absl::StatusOr<ExprPtr> ParseFiltersAndTests(ExprPtr expr);
  absl::StatusOr<ExprPtr> ParseTest(ExprPtr input);
  absl::Status ParseArguments(Expr* call);
  absl::StatusOr<ExprPtr> ParseNumber();
  absl::StatusOr<ExprPtr> ParseBinary(Rule operand, std::initializer_list<std::string_view> texts,
                                      std::initializer_list<Operator> operators);
  // Finishes a node: its height is computed and checked.
  absl::StatusOr<ExprPtr> Done(std::unique_ptr<Expr> expr);

  TokenStream& stream_;
};

}  // namespace infer::chat
