// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/token_stream.h"

#include "ir/base/strings.h"

namespace infer::chat {
namespace {

std::string Describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kText:
      return "text";
    case TokenKind::kPrint:
      return "{{";
    case TokenKind::kPrintEnd:
      return "}}";
    case TokenKind::kBlock:
      return "{%";
    case TokenKind::kBlockEnd:
      return "%}";
    case TokenKind::kString:
      return "a string";
    case TokenKind::kEnd:
      return "the end of the template";
    default:
      return StrCat("'", token.text, "'");
  }
}

}  // namespace

absl::Status TokenStream::Unexpected(std::string_view expected) const {
  return ErrorAt(current().offset, StrCat("found ", Describe(current()), ", expected ", expected));
}

absl::Status TokenStream::ExpectOperator(std::string_view text) {
  if (SkipOperator(text)) return absl::OkStatus();
  return Unexpected(StrCat("'", text, "'"));
}

absl::Status TokenStream::Expect(TokenKind kind, std::string_view what) {
  if (current().kind != kind) return Unexpected(what);
  Skip();
  return absl::OkStatus();
}

int TokenStream::NameId(std::string_view name) {
  auto [it, is_new] = ids_.emplace(std::string(name), static_cast<int>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return it->second;
}

absl::Status TokenStream::Nesting::Check() const {
  if (stream_->nesting_ <= kMaxNesting) return absl::OkStatus();
  return stream_->ErrorAt(stream_->current().offset,
                          StrCat("nested deeper than ", kMaxNesting,
                                 "; split the expression with set or use fewer blocks"));
}

}  // namespace infer::chat
