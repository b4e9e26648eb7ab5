// SPDX-License-Identifier: Apache-2.0
//
// The part of the expression parser for what follows an operand: filters and tests.
#include <utility>

#include "frontends/chat/expression_parser.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::StatusOr<ExprPtr> ExpressionParser::ParseFilter(ExprPtr input) {
  auto filter = NewExpr(ExprKind::kFilter, stream_.current().offset);
  filter->name = stream_.current().text;
  RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a filter"));
  filter->filter = FindFilter(filter->name);
  if (filter->filter == nullptr) {
    return stream_.ErrorAt(filter->offset,
                           StrCat("the filter '", filter->name, "' is not supported"));
  }
  filter->children.push_back(std::move(input));
  if (stream_.IsOperator("(")) RETURN_IF_ERROR(ParseArguments(filter.get()));
  return Done(std::move(filter));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseFilterChain(ExprPtr input) {
  ASSIGN_OR_RETURN(ExprPtr expr, ParseFilter(std::move(input)));
  while (stream_.SkipOperator("|")) {
    ASSIGN_OR_RETURN(expr, ParseFilter(std::move(expr)));
  }
  return expr;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseFiltersAndTests(ExprPtr expr) {
  while (true) {
    if (stream_.SkipOperator("|")) {
      ASSIGN_OR_RETURN(expr, ParseFilter(std::move(expr)));
    } else if (stream_.SkipName("is")) {
      ASSIGN_OR_RETURN(expr, ParseTest(std::move(expr)));
    } else if (stream_.IsOperator("(")) {
      ASSIGN_OR_RETURN(expr, ParsePostfix(std::move(expr)));
    } else {
      return expr;
    }
  }
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseTest(ExprPtr input) {
  const size_t offset = stream_.current().offset;
  const bool negated = stream_.SkipName("not");
  auto test = NewExpr(ExprKind::kIs, stream_.current().offset);
  test->name = stream_.current().text;
  RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a test"));
  test->test = FindTest(test->name);
  if (test->test == nullptr) {
    return stream_.ErrorAt(test->offset, StrCat("the test '", test->name, "' is not supported"));
  }
  test->children.push_back(std::move(input));
  const Token& token = stream_.current();
  const bool is_word = token.kind == TokenKind::kName && token.text != "else" &&
                       token.text != "or" && token.text != "and" && token.text != "is" &&
                       token.text != "if" && token.text != "in" && token.text != "not";
  const bool is_literal = token.kind == TokenKind::kString || token.kind == TokenKind::kInteger ||
                          token.kind == TokenKind::kFloat || stream_.IsOperator("[") ||
                          stream_.IsOperator("{");
  if (stream_.IsOperator("(")) {
    RETURN_IF_ERROR(ParseArguments(test.get()));
  } else if (is_word || is_literal) {
    ASSIGN_OR_RETURN(ExprPtr argument, ParsePrimaryWithPostfix());
    test->children.push_back(std::move(argument));
  }
  ASSIGN_OR_RETURN(ExprPtr done, Done(std::move(test)));
  if (!negated) return done;
  auto negation = NewExpr(ExprKind::kNot, offset);
  negation->children.push_back(std::move(done));
  return Done(std::move(negation));
}

}  // namespace infer::chat
