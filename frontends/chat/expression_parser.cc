// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/expression_parser.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
absl::StatusOr<ExprPtr> ExpressionParser::Done(std::unique_ptr<Expr> expr) {
  for (const ExprPtr& child : expr->children) {
    if (child != nullptr) expr->depth = std::max(expr->depth, child->depth + 1);
  }
  for (const auto& [name, child] : expr->named) {
    expr->depth = std::max(expr->depth, child->depth + 1);
  }
  if (expr->depth > TokenStream::kMaxHeight) {
    return stream_.ErrorAt(expr->offset,
                           StrCat("an expression of more than ", TokenStream::kMaxHeight,
                                  " nested operations; split it with set"));
  }
  return ExprPtr(std::move(expr));
}

absl::StatusOr<ExprPtr> ExpressionParser::Parse(bool conditional) {
  TokenStream::Nesting nesting(&stream_);
  RETURN_IF_ERROR(nesting.Check());
  ASSIGN_OR_RETURN(ExprPtr expr, ParseOr());
  while (conditional && stream_.IsName("if")) {
    auto choice = NewExpr(ExprKind::kConditional, stream_.current().offset);
    stream_.Skip();
    choice->children.push_back(std::move(expr));
    ASSIGN_OR_RETURN(ExprPtr condition, ParseOr());
    choice->children.push_back(std::move(condition));
    ExprPtr otherwise;
    if (stream_.SkipName("else")) {
      ASSIGN_OR_RETURN(otherwise, Parse());
    }
    choice->children.push_back(std::move(otherwise));
    ASSIGN_OR_RETURN(expr, Done(std::move(choice)));
  }
  return expr;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseTuple(bool conditional) {
  const size_t offset = stream_.current().offset;
  ASSIGN_OR_RETURN(ExprPtr first, Parse(conditional));
  if (!stream_.IsOperator(",")) return first;
  auto tuple = NewExpr(ExprKind::kTuple, offset);
  tuple->children.push_back(std::move(first));
  while (stream_.SkipOperator(",")) {
    const Token& token = stream_.current();
    const bool ends = token.kind == TokenKind::kPrintEnd || token.kind == TokenKind::kBlockEnd ||
                      stream_.IsOperator(")") || stream_.IsOperator("=");
    if (ends) break;
    ASSIGN_OR_RETURN(ExprPtr item, Parse(conditional));
    tuple->children.push_back(std::move(item));
  }
  return Done(std::move(tuple));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseOr() {
  ASSIGN_OR_RETURN(ExprPtr left, ParseAnd());
  while (stream_.IsName("or")) {
    auto either = NewExpr(ExprKind::kOr, stream_.current().offset);
    stream_.Skip();
    ASSIGN_OR_RETURN(ExprPtr right, ParseAnd());
    either->children.push_back(std::move(left));
    either->children.push_back(std::move(right));
    ASSIGN_OR_RETURN(left, Done(std::move(either)));
  }
  return left;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseAnd() {
  ASSIGN_OR_RETURN(ExprPtr left, ParseNot());
  while (stream_.IsName("and")) {
    auto both = NewExpr(ExprKind::kAnd, stream_.current().offset);
    stream_.Skip();
    ASSIGN_OR_RETURN(ExprPtr right, ParseNot());
    both->children.push_back(std::move(left));
    both->children.push_back(std::move(right));
    ASSIGN_OR_RETURN(left, Done(std::move(both)));
  }
  return left;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseNot() {
  if (!stream_.IsName("not")) return ParseCompare();
  TokenStream::Nesting nesting(&stream_);
  RETURN_IF_ERROR(nesting.Check());
  auto negation = NewExpr(ExprKind::kNot, stream_.current().offset);
  stream_.Skip();
  ASSIGN_OR_RETURN(ExprPtr operand, ParseNot());
  negation->children.push_back(std::move(operand));
  return Done(std::move(negation));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseCompare() {
  constexpr std::pair<std::string_view, Operator> kComparisons[] = {
      {"==", Operator::kEqual},     {"!=", Operator::kNotEqual}, {"<", Operator::kLess},
      {"<=", Operator::kLessEqual}, {">", Operator::kGreater},   {">=", Operator::kGreaterEqual}};
  auto chain = NewExpr(ExprKind::kCompare, stream_.current().offset);
  ASSIGN_OR_RETURN(ExprPtr first, ParseSum());
  while (true) {
    const auto* it = std::ranges::find_if(
        kComparisons, [&](const auto& entry) { return stream_.IsOperator(entry.first); });
    if (it != std::end(kComparisons)) {
      chain->operators.push_back(it->second);
    } else if (stream_.IsName("in")) {
      chain->operators.push_back(Operator::kIn);
    } else if (stream_.IsName("not") && stream_.next().kind == TokenKind::kName &&
               stream_.next().text == "in") {
      stream_.Skip();
      chain->operators.push_back(Operator::kNotIn);
    } else {
      break;
    }
    stream_.Skip();
    if (chain->children.empty()) chain->children.push_back(std::move(first));
    ASSIGN_OR_RETURN(ExprPtr operand, ParseSum());
    chain->children.push_back(std::move(operand));
  }
  if (chain->children.empty()) return first;
  return Done(std::move(chain));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseBinary(Rule operand,
                                                      std::initializer_list<std::string_view> texts,
                                                      std::initializer_list<Operator> operators) {
  ASSIGN_OR_RETURN(ExprPtr left, (this->*operand)());
  while (stream_.current().kind == TokenKind::kOperator) {
    const auto it = std::ranges::find(texts, std::string_view(stream_.current().text));
    if (it == texts.end()) break;
    auto binary = NewExpr(ExprKind::kBinary, stream_.current().offset);
    binary->operators.push_back(operators.begin()[it - texts.begin()]);
    stream_.Skip();
    ASSIGN_OR_RETURN(ExprPtr right, (this->*operand)());
    binary->children.push_back(std::move(left));
    binary->children.push_back(std::move(right));
    ASSIGN_OR_RETURN(left, Done(std::move(binary)));
  }
  return left;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseSum() {
  return ParseBinary(&ExpressionParser::ParseConcat, {"+", "-"},
                     {Operator::kAdd, Operator::kSubtract});
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseConcat() {
  const size_t offset = stream_.current().offset;
  ASSIGN_OR_RETURN(ExprPtr first, ParseProduct());
  if (!stream_.IsOperator("~")) return first;
  auto concat = NewExpr(ExprKind::kConcat, offset);
  concat->children.push_back(std::move(first));
  while (stream_.SkipOperator("~")) {
    ASSIGN_OR_RETURN(ExprPtr part, ParseProduct());
    concat->children.push_back(std::move(part));
  }
  return Done(std::move(concat));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseProduct() {
  return ParseBinary(
      &ExpressionParser::ParsePower, {"*", "/", "//", "%"},
      {Operator::kMultiply, Operator::kDivide, Operator::kFloorDivide, Operator::kModulo});
}

absl::StatusOr<ExprPtr> ExpressionParser::ParsePower() {
  return ParseBinary(&ExpressionParser::ParseUnary, {"**"}, {Operator::kPower});
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseUnary() {
  ASSIGN_OR_RETURN(ExprPtr expr, ParseSigned());
  return ParseFiltersAndTests(std::move(expr));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseSigned() {
  const bool negative = stream_.IsOperator("-");
  if (!negative && !stream_.IsOperator("+")) return ParsePrimaryWithPostfix();
  TokenStream::Nesting nesting(&stream_);
  RETURN_IF_ERROR(nesting.Check());
  auto sign = NewExpr(negative ? ExprKind::kNegate : ExprKind::kPositive, stream_.current().offset);
  stream_.Skip();
  ASSIGN_OR_RETURN(ExprPtr operand, ParseSigned());
  sign->children.push_back(std::move(operand));
  ASSIGN_OR_RETURN(ExprPtr done, Done(std::move(sign)));
  return ParsePostfix(std::move(done));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParsePrimaryWithPostfix() {
  ASSIGN_OR_RETURN(ExprPtr expr, ParsePrimary());
  return ParsePostfix(std::move(expr));
}

}  // namespace infer::chat
