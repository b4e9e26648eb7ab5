// SPDX-License-Identifier: Apache-2.0
//
// Splits shader text into words. Nothing here knows what they mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace infer::emulation {

enum class TokenKind : uint8_t {
  kSpace,
  kComment,
  kDirective,  // a whole line that begins with '#', continuation lines included
  kIdentifier,
  kNumber,
  kText,   // "..." or '...'
  kPunct,  // one character, or one of [[ ]] :: -> << >>
};

struct Token {
  TokenKind kind;
  std::string_view text;
  int file;  // position in Source::files
  int line;

  bool Is(std::string_view other) const { return text == other && kind != TokenKind::kText; }
  bool blank() const { return kind == TokenKind::kSpace || kind == TokenKind::kComment; }
};

// The views lie in `text`. Joined, the tokens are `text` again.
std::vector<Token> Tokenize(std::string_view text, int file = 0);

// Takes what `text` begins or ends with off it; false if it does not.
bool ConsumePrefix(std::string_view& text, std::string_view prefix);
bool ConsumeSuffix(std::string_view& text, std::string_view suffix);
// Without blanks at both ends.
std::string_view Stripped(std::string_view text);

// Position of the next token from `at` + `step` on that is no blank; tokens.size() if there is
// none.
size_t Neighbour(std::span<const Token> tokens, size_t at, int step = 1);

// Position of the bracket that closes the one at `at`, or tokens.size(). Angle brackets too, where
// the caller knows that they are ones.
size_t Closing(std::span<const Token> tokens, size_t at);

}  // namespace infer::emulation
