// SPDX-License-Identifier: Apache-2.0
//
// The part of the statement parser for macros and for blocks whose text is captured.
#include <utility>

#include "frontends/chat/statement_parser.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::Status StatementParser::ParseParameters(std::vector<Parameter>* parameters) {
  RETURN_IF_ERROR(stream_.ExpectOperator("("));
  while (!stream_.IsOperator(")")) {
    if (!parameters->empty()) RETURN_IF_ERROR(stream_.ExpectOperator(","));
    if (stream_.IsOperator(")")) break;
    Parameter& parameter = parameters->emplace_back();
    parameter.name = stream_.current().text;
    parameter.name_id = stream_.NameId(parameter.name);
    RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a parameter"));
    if (stream_.SkipOperator("=")) {
      ASSIGN_OR_RETURN(parameter.initial, expressions_.Parse());
    } else if (parameters->size() > 1 && (*parameters)[parameters->size() - 2].initial) {
      return stream_.ErrorAt(stream_.current().offset,
                             StrCat("the parameter '", parameter.name,
                                    "' needs a default, because the one before it has one"));
    }
  }
  stream_.Skip();
  return absl::OkStatus();
}

// Loops outside of a macro are not those that break leaves.
absl::Status StatementParser::ParseMacroBody(std::string_view end, Statement* statement) {
  const int loops = std::exchange(loops_, 0);
  RETURN_IF_ERROR(ParseBlock(end, statement->offset, &statement->body));
  loops_ = loops;
  return absl::OkStatus();
}

absl::StatusOr<StatementPtr> StatementParser::ParseMacro(size_t offset) {
  auto statement = NewStatement(StatementKind::kMacro, offset);
  statement->name = stream_.current().text;
  statement->name_id = stream_.NameId(statement->name);
  RETURN_IF_ERROR(stream_.Expect(TokenKind::kName, "the name of a macro"));
  RETURN_IF_ERROR(ParseParameters(&statement->parameters));
  RETURN_IF_ERROR(EndTag());
  RETURN_IF_ERROR(ParseMacroBody("endmacro", statement.get()));
  return statement;
}

absl::StatusOr<StatementPtr> StatementParser::ParseCall(size_t offset) {
  auto statement = NewStatement(StatementKind::kCallBlock, offset);
  if (stream_.IsOperator("(")) RETURN_IF_ERROR(ParseParameters(&statement->parameters));
  ASSIGN_OR_RETURN(statement->value, expressions_.Parse());
  if (statement->value->kind != ExprKind::kCall) {
    return stream_.ErrorAt(offset, "call needs a call of a macro, such as {% call m() %}");
  }
  RETURN_IF_ERROR(EndTag());
  RETURN_IF_ERROR(ParseMacroBody("endcall", statement.get()));
  return statement;
}

ExprPtr StatementParser::Captured(size_t offset) {
  auto name = NewExpr(ExprKind::kName, offset);
  name->name_id = stream_.NameId(kCapturedName);
  return name;
}

absl::StatusOr<StatementPtr> StatementParser::ParseFilter(size_t offset) {
  auto statement = NewStatement(StatementKind::kFilterBlock, offset);
  ASSIGN_OR_RETURN(statement->value, expressions_.ParseFilterChain(Captured(offset)));
  RETURN_IF_ERROR(EndTag());
  RETURN_IF_ERROR(ParseBlock("endfilter", offset, &statement->body));
  return statement;
}

}  // namespace infer::chat
