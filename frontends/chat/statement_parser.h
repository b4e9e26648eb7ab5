// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/chat/expression_parser.h"
#include "frontends/chat/token_stream.h"
#include "frontends/chat/tree.h"

namespace infer::chat {

using StatementPtr = std::unique_ptr<const Statement>;

// What a statement assigns to: a name, an attribute of one, or several in a tuple.
absl::StatusOr<Target> ParseTarget(TokenStream* stream);
// A target, or several separated by commas, perhaps in parentheses.
absl::StatusOr<Target> ParseTargets(TokenStream* stream);

// Parses text, {{ }} and {% %}.
class StatementParser {
 public:
  using Ends = std::initializer_list<std::string_view>;

  explicit StatementParser(TokenStream* stream) : stream_(*stream), expressions_(stream) {}

  // Parses up to the end of the template or up to a tag {% end %} of `ends`, whose name becomes
  // current.
  absl::Status ParseBody(Ends ends, size_t opened_at, Body* body);

 private:
  using Rule = absl::StatusOr<StatementPtr> (StatementParser::*)(size_t offset);

  static std::unique_ptr<Statement> NewStatement(StatementKind kind, size_t offset) {
    auto statement = std::make_unique<Statement>();
    statement->kind = kind;
    statement->offset = offset;
    return statement;
  }

  absl::Status EndTag();
  // Parses a body and the tag that ends it, of which there is only one.
  absl::Status ParseBlock(std::string_view end, size_t offset, Body* body);
  absl::Status ParseStatement(Body* body);
  absl::StatusOr<StatementPtr> ParseIf(size_t offset);
  absl::StatusOr<StatementPtr> ParseFor(size_t offset);
  absl::StatusOr<StatementPtr> ParseSet(size_t offset);
  absl::StatusOr<StatementPtr> ParseWith(size_t offset);
  absl::StatusOr<StatementPtr> ParseJump(size_t offset);

  // macros and captured text: macro_parser.cc
  absl::StatusOr<StatementPtr> ParseMacro(size_t offset);
  absl::StatusOr<StatementPtr> ParseCall(size_t offset);
  absl::StatusOr<StatementPtr> ParseFilter(size_t offset);
  absl::Status ParseParameters(std::vector<Parameter>* parameters);
  absl::Status ParseMacroBody(std::string_view end, Statement* statement);
  ExprPtr Captured(size_t offset);

  TokenStream& stream_;
  ExpressionParser expressions_;
  int loops_ = 0;
};

}  // namespace infer::chat
