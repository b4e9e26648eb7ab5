// SPDX-License-Identifier: Apache-2.0
//
// What for, set and with assign to.
#include <algorithm>
#include <utility>

#include "frontends/chat/statement_parser.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {

absl::StatusOr<Target> ParseTargets(TokenStream* stream) {
  Target tuple;
  tuple.offset = stream->current().offset;
  ASSIGN_OR_RETURN(Target first, ParseTarget(stream));
  if (!stream->IsOperator(",")) return first;
  tuple.parts.push_back(std::move(first));
  while (stream->SkipOperator(",")) {
    if (stream->IsName("in") || stream->IsOperator("=") || stream->IsOperator(")")) break;
    ASSIGN_OR_RETURN(Target part, ParseTarget(stream));
    tuple.parts.push_back(std::move(part));
  }
  return tuple;
}

absl::StatusOr<Target> ParseTarget(TokenStream* stream) {
  TokenStream::Nesting nesting(stream);
  RETURN_IF_ERROR(nesting.Check());
  Target target;
  target.offset = stream->current().offset;
  if (stream->SkipOperator("(")) {
    ASSIGN_OR_RETURN(target, ParseTargets(stream));
    RETURN_IF_ERROR(stream->ExpectOperator(")"));
    return target;
  }
  const std::string name = stream->current().text;
  constexpr std::string_view kReserved[] = {"true",  "false", "none", "True",
                                            "False", "None",  "loop"};
  if (std::ranges::count(kReserved, name) > 0) {
    return stream->ErrorAt(target.offset, StrCat("'", name, "' cannot be assigned to"));
  }
  RETURN_IF_ERROR(stream->Expect(TokenKind::kName, "the name of a variable"));
  target.name_id = stream->NameId(name);
  if (stream->SkipOperator(".")) {
    target.attribute = stream->current().text;
    RETURN_IF_ERROR(stream->Expect(TokenKind::kName, "the name of an attribute"));
  }
  return target;
}

}  // namespace infer::chat
