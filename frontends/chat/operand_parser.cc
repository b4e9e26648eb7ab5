// SPDX-License-Identifier: Apache-2.0
//
// The part of the expression parser below the operators: literals, attributes and calls.
#include <charconv>
#include <cstdlib>
#include <utility>

#include "frontends/chat/expression_parser.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

ExprPtr Constant(size_t offset, Value value) {
  auto expr = NewExpr(ExprKind::kConstant, offset);
  expr->constant = std::move(value);
  return expr;
}

// Returns the constant that a name stands for, if it is one.
std::optional<Value> ConstantNamed(std::string_view name) {
  if (name == "true" || name == "True") return Value(true);
  if (name == "false" || name == "False") return Value(false);
  if (name == "none" || name == "None") return Value(None());
  return std::nullopt;
}

}  // namespace

absl::StatusOr<ExprPtr> ExpressionParser::ParseNumber() {
  const Token token = stream_.current();
  stream_.Skip();
  if (token.kind == TokenKind::kFloat) {
    return Constant(token.offset, std::strtod(token.text.c_str(), nullptr));
  }
  int64_t value = 0;
  const char* end = token.text.data() + token.text.size();
  auto [stop, error] = std::from_chars(token.text.data(), end, value);
  if (error != std::errc() || stop != end) {
    return stream_.ErrorAt(token.offset, "integers of more than 64 bits are not supported");
  }
  return Constant(token.offset, value);
}

absl::StatusOr<ExprPtr> ExpressionParser::ParsePrimary() {
  const Token token = stream_.current();
  switch (token.kind) {
    case TokenKind::kName: {
      stream_.Skip();
      if (std::optional<Value> constant = ConstantNamed(token.text)) {
        return Constant(token.offset, *std::move(constant));
      }
      auto expr = NewExpr(ExprKind::kName, token.offset);
      expr->name = token.text;
      expr->name_id = stream_.NameId(token.text);
      return Done(std::move(expr));
    }
    case TokenKind::kString: {
      std::string text;
      while (stream_.current().kind == TokenKind::kString) {
        text += stream_.current().text;
        stream_.Skip();
      }
      return Constant(token.offset, TrustedString(text));
    }
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ParseNumber();
    default:
      break;
  }
  if (stream_.IsOperator("(")) return ParseParentheses();
  if (stream_.IsOperator("[")) return ParseList();
  if (stream_.IsOperator("{")) return ParseDict();
  return stream_.Unexpected("an expression");
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseParentheses() {
  const size_t offset = stream_.current().offset;
  stream_.Skip();
  if (stream_.SkipOperator(")")) return Done(NewExpr(ExprKind::kTuple, offset));
  ASSIGN_OR_RETURN(ExprPtr inside, ParseTuple());
  RETURN_IF_ERROR(stream_.ExpectOperator(")"));
  return inside;
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseList() {
  auto list = NewExpr(ExprKind::kList, stream_.current().offset);
  stream_.Skip();
  while (!stream_.IsOperator("]")) {
    if (!list->children.empty()) RETURN_IF_ERROR(stream_.ExpectOperator(","));
    if (stream_.IsOperator("]")) break;
    ASSIGN_OR_RETURN(ExprPtr item, Parse());
    list->children.push_back(std::move(item));
  }
  stream_.Skip();
  return Done(std::move(list));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseDict() {
  auto dict = NewExpr(ExprKind::kDict, stream_.current().offset);
  stream_.Skip();
  while (!stream_.IsOperator("}")) {
    if (!dict->children.empty()) RETURN_IF_ERROR(stream_.ExpectOperator(","));
    if (stream_.IsOperator("}")) break;
    ASSIGN_OR_RETURN(ExprPtr key, Parse());
    RETURN_IF_ERROR(stream_.ExpectOperator(":"));
    ASSIGN_OR_RETURN(ExprPtr value, Parse());
    dict->children.push_back(std::move(key));
    dict->children.push_back(std::move(value));
  }
  stream_.Skip();
  return Done(std::move(dict));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParsePostfix(ExprPtr expr) {
  while (true) {
    if (stream_.IsOperator(".")) {
      ASSIGN_OR_RETURN(expr, ParseDot(std::move(expr)));
    } else if (stream_.IsOperator("[")) {
      ASSIGN_OR_RETURN(expr, ParseSubscript(std::move(expr)));
    } else if (stream_.IsOperator("(")) {
      auto call = NewExpr(ExprKind::kCall, stream_.current().offset);
      call->children.push_back(std::move(expr));
      RETURN_IF_ERROR(ParseArguments(call.get()));
      ASSIGN_OR_RETURN(expr, Done(std::move(call)));
    } else {
      return expr;
    }
  }
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseDot(ExprPtr expr) {
  auto access = NewExpr(ExprKind::kAttribute, stream_.current().offset);
  stream_.Skip();
  access->children.push_back(std::move(expr));
  if (stream_.current().kind == TokenKind::kInteger) {
    access->kind = ExprKind::kItem;
    ASSIGN_OR_RETURN(ExprPtr index, ParseNumber());
    access->children.push_back(std::move(index));
    return Done(std::move(access));
  }
  access->name = stream_.current().text;
  RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of an attribute"));
  return Done(std::move(access));
}

absl::StatusOr<ExprPtr> ExpressionParser::ParseSubscript(ExprPtr expr) {
  auto access = NewExpr(ExprKind::kItem, stream_.current().offset);
  stream_.Skip();
  access->children.push_back(std::move(expr));
  ExprPtr part;
  if (!stream_.IsOperator(":")) {
    ASSIGN_OR_RETURN(part, Parse());
  }
  access->children.push_back(std::move(part));
  if (stream_.IsOperator(":")) access->kind = ExprKind::kSlice;
  while (access->kind == ExprKind::kSlice && access->children.size() < 4 &&
         stream_.SkipOperator(":")) {
    ExprPtr bound;
    if (!stream_.IsOperator(":") && !stream_.IsOperator("]")) {
      ASSIGN_OR_RETURN(bound, Parse());
    }
    access->children.push_back(std::move(bound));
  }
  RETURN_IF_ERROR(stream_.ExpectOperator("]"));
  if (access->kind == ExprKind::kSlice) access->children.resize(4);
  return Done(std::move(access));
}

absl::Status ExpressionParser::ParseArguments(Expr* call) {
  RETURN_IF_ERROR(stream_.ExpectOperator("("));
  for (bool first = true; !stream_.IsOperator(")"); first = false) {
    if (!first) RETURN_IF_ERROR(stream_.ExpectOperator(","));
    if (stream_.IsOperator(")")) break;
    if (stream_.IsOperator("*") || stream_.IsOperator("**")) {
      return stream_.ErrorAt(stream_.current().offset,
                             "arguments with * and ** are not supported; write them one by one");
    }
    const bool is_named = stream_.current().kind == TokenKind::kName &&
                          stream_.next().kind == TokenKind::kOperator && stream_.next().text == "=";
    if (is_named) {
      std::string name = stream_.current().text;
      stream_.Skip();
      stream_.Skip();
      ASSIGN_OR_RETURN(ExprPtr value, Parse());
      call->named.emplace_back(std::move(name), std::move(value));
      continue;
    }
    if (!call->named.empty()) {
      return stream_.ErrorAt(stream_.current().offset,
                             "an argument without a name follows one with a name");
    }
    ASSIGN_OR_RETURN(ExprPtr value, Parse());
    call->children.push_back(std::move(value));
  }
  stream_.Skip();
  return absl::OkStatus();
}

}  // namespace infer::chat
