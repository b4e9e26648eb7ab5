// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/statement_parser.h"

#include <algorithm>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::Status StatementParser::ParseBody(Ends ends, size_t opened_at, Body* body) {
  TokenStream::Nesting nesting(&stream_);
  RETURN_IF_ERROR(nesting.Check());
  while (stream_.current().kind != TokenKind::kEnd) {
    const Token token = stream_.current();
    stream_.Skip();
    if (token.kind == TokenKind::kText) {
      auto text = NewStatement(StatementKind::kText, token.offset);
      text->text = MarkedText(token.text);
      body->push_back(std::move(text));
    } else if (token.kind == TokenKind::kPrint) {
      auto print = NewStatement(StatementKind::kPrint, token.offset);
      ASSIGN_OR_RETURN(print->value, expressions_.ParseTuple());
      RETURN_IF_ERROR(stream_.Expect(TokenKind::kPrintEnd, "}}"));
      body->push_back(std::move(print));
    } else {
      if (std::ranges::any_of(ends, [&](auto end) { return stream_.IsName(end); })) {
        return absl::OkStatus();
      }
      RETURN_IF_ERROR(ParseStatement(body));
    }
  }
  if (ends.size() == 0) return absl::OkStatus();
  return stream_.ErrorAt(
      opened_at, StrCat("this block has no end; add {% ", ends.begin()[ends.size() - 1], " %}"));
}

absl::Status StatementParser::EndTag() { return stream_.Expect(TokenKind::kBlockEnd, "%}"); }

absl::Status StatementParser::ParseBlock(std::string_view end, size_t offset, Body* body) {
  RETURN_IF_ERROR(ParseBody({end}, offset, body));
  stream_.Skip();
  return EndTag();
}

absl::Status StatementParser::ParseStatement(Body* body) {
  constexpr std::pair<std::string_view, Rule> kRules[] = {
      {"if", &StatementParser::ParseIf},         {"for", &StatementParser::ParseFor},
      {"set", &StatementParser::ParseSet},       {"macro", &StatementParser::ParseMacro},
      {"call", &StatementParser::ParseCall},     {"filter", &StatementParser::ParseFilter},
      {"with", &StatementParser::ParseWith},     {"break", &StatementParser::ParseJump},
      {"continue", &StatementParser::ParseJump},
  };
  const Token token = stream_.current();
  if (token.kind != TokenKind::kName) return stream_.Unexpected("a statement such as if or for");
  if (token.text == "generation") {  // marks what was generated, for training
    stream_.Skip();
    RETURN_IF_ERROR(EndTag());
    return ParseBlock("endgeneration", token.offset, body);
  }
  const auto* rule = std::ranges::find(kRules, std::string_view(token.text),
                                       &std::pair<std::string_view, Rule>::first);
  if (rule == std::end(kRules)) {
    return stream_.ErrorAt(token.offset,
                           StrCat("the statement '", token.text,
                                  "' is not supported; supported are if, for, set, macro, call, "
                                  "filter, with, break, continue, raw and generation"));
  }
  if (token.text != "break" && token.text != "continue") stream_.Skip();
  ASSIGN_OR_RETURN(StatementPtr statement, (this->*rule->second)(token.offset));
  body->push_back(std::move(statement));
  return absl::OkStatus();
}

absl::StatusOr<StatementPtr> StatementParser::ParseIf(size_t offset) {
  auto statement = NewStatement(StatementKind::kIf, offset);
  bool is_else = false;
  while (true) {
    Branch& branch = statement->branches.emplace_back();
    if (!is_else) {
      ASSIGN_OR_RETURN(branch.condition, expressions_.ParseTuple(false));
    }
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(is_else ? ParseBody({"endif"}, offset, &branch.body)
                            : ParseBody({"elif", "else", "endif"}, offset, &branch.body));
    const bool ends = stream_.IsName("endif");
    is_else = stream_.IsName("else");
    stream_.Skip();
    if (ends) break;
  }
  RETURN_IF_ERROR(EndTag());
  return statement;
}

absl::StatusOr<StatementPtr> StatementParser::ParseFor(size_t offset) {
  auto statement = NewStatement(StatementKind::kFor, offset);
  ASSIGN_OR_RETURN(Target target, ParseTargets(&stream_));
  statement->targets.push_back(std::move(target));
  if (!stream_.SkipName("in")) return stream_.Unexpected("'in'");
  ASSIGN_OR_RETURN(statement->value, expressions_.ParseTuple(false));
  if (stream_.SkipName("if")) {
    ASSIGN_OR_RETURN(statement->condition, expressions_.Parse());
  }
  if (stream_.IsName("recursive")) {
    return stream_.ErrorAt(stream_.current().offset,
                           "recursive loops are not supported; call a macro instead");
  }
  RETURN_IF_ERROR(EndTag());
  ++loops_;
  RETURN_IF_ERROR(ParseBody({"else", "endfor"}, offset, &statement->body));
  --loops_;
  if (stream_.SkipName("else")) {
    RETURN_IF_ERROR(EndTag());
    RETURN_IF_ERROR(ParseBody({"endfor"}, offset, &statement->otherwise));
  }
  stream_.Skip();
  RETURN_IF_ERROR(EndTag());
  return statement;
}

absl::StatusOr<StatementPtr> StatementParser::ParseSet(size_t offset) {
  auto statement = NewStatement(StatementKind::kSet, offset);
  ASSIGN_OR_RETURN(Target target, ParseTargets(&stream_));
  statement->targets.push_back(std::move(target));
  if (stream_.SkipOperator("=")) {
    ASSIGN_OR_RETURN(statement->value, expressions_.ParseTuple());
    RETURN_IF_ERROR(EndTag());
    return statement;
  }
  statement->kind = StatementKind::kSetBlock;
  if (stream_.SkipOperator("|")) {
    ASSIGN_OR_RETURN(statement->value, expressions_.ParseFilterChain(Captured(offset)));
  }
  RETURN_IF_ERROR(EndTag());
  RETURN_IF_ERROR(ParseBlock("endset", offset, &statement->body));
  return statement;
}

absl::StatusOr<StatementPtr> StatementParser::ParseWith(size_t offset) {
  auto statement = NewStatement(StatementKind::kWith, offset);
  while (stream_.current().kind != TokenKind::kBlockEnd) {
    if (!statement->targets.empty()) RETURN_IF_ERROR(stream_.ExpectOperator(","));
    ASSIGN_OR_RETURN(Target target, ParseTarget(&stream_));
    RETURN_IF_ERROR(stream_.ExpectOperator("="));
    ASSIGN_OR_RETURN(ExprPtr value, expressions_.Parse());
    statement->targets.push_back(std::move(target));
    statement->values.push_back(std::move(value));
  }
  RETURN_IF_ERROR(EndTag());
  RETURN_IF_ERROR(ParseBlock("endwith", offset, &statement->body));
  return statement;
}

absl::StatusOr<StatementPtr> StatementParser::ParseJump(size_t offset) {
  const bool is_break = stream_.IsName("break");
  if (loops_ == 0) {
    return stream_.ErrorAt(offset, StrCat("'", stream_.current().text, "' outside of a loop"));
  }
  stream_.Skip();
  RETURN_IF_ERROR(EndTag());
  return NewStatement(is_break ? StatementKind::kBreak : StatementKind::kContinue, offset);
}

}  // namespace infer::chat
