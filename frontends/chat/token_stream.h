// SPDX-License-Identifier: Apache-2.0
//
// What both parsers share: the position in the tokens, the names seen so far, and the depth.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "frontends/chat/lexer.h"
#include "frontends/chat/tree.h"

namespace infer::chat {

class TokenStream {
 public:
  // Nesting of brackets and blocks, and height of an expression's tree.
  static constexpr int kMaxNesting = 60;
  static constexpr int kMaxHeight = 150;

  TokenStream(std::string_view source, std::vector<Token> tokens)
      : source_(source), tokens_(std::move(tokens)) {}

  const Token& current() const { return tokens_[pos_]; }
  const Token& next() const { return tokens_[pos_ + 1 < tokens_.size() ? pos_ + 1 : pos_]; }
  void Skip() {
    if (pos_ + 1 < tokens_.size()) ++pos_;
  }
  bool IsOperator(std::string_view text) const {
    return current().kind == TokenKind::kOperator && current().text == text;
  }
  bool IsName(std::string_view text) const {
    return current().kind == TokenKind::kName && current().text == text;
  }
  bool SkipOperator(std::string_view text) {
    const bool found = IsOperator(text);
    if (found) Skip();
    return found;
  }
  bool SkipName(std::string_view text) {
    const bool found = IsName(text);
    if (found) Skip();
    return found;
  }

  absl::Status ErrorAt(size_t offset, std::string_view message) const {
    return TemplateError(source_, offset, message);
  }
  // An error about the current token.
  absl::Status Unexpected(std::string_view expected) const;
  absl::Status ExpectOperator(std::string_view text);
  absl::Status Expect(TokenKind kind, std::string_view what);

  // Returns the number of a variable.
  int NameId(std::string_view name);
  std::vector<std::string> TakeNames() { return std::move(names_); }

  // Counts nesting during its lifetime.
  class Nesting {
   public:
    explicit Nesting(TokenStream* stream) : stream_(stream) { ++stream_->nesting_; }
    ~Nesting() { --stream_->nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    absl::Status Check() const;

   private:
    TokenStream* stream_;
  };

 private:
  std::string_view source_;
  std::vector<Token> tokens_;
  size_t pos_ = 0;
  int nesting_ = 0;
  std::vector<std::string> names_;
  absl::flat_hash_map<std::string, int> ids_;
};

}  // namespace infer::chat
