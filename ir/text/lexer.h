// SPDX-License-Identifier: Apache-2.0
//
// Tokens of the text form, and the rules for names that printer and parser share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace infer {

enum class TokenKind : uint8_t {
  kWord,    // graph, linear, f32
  kNumber,  // 12, -1e-06, 0x00ff
  kString,  // "text", quotes included
  kValue,   // %name, %"odd name", %name~1
  kAt,      // @name, @"odd name"
  kPunct,   // ( ) { } [ ] < > = , : and ..
  kEnd,
  kBad,  // none of the above; text is the offending part
};

// `text` points into the input, so that its address gives the position.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;
};

// Splits a text into tokens. White space and comments (# to the end of the line) separate them.
// Cheap to copy, which is how callers look ahead.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token Next();

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  void SkipBlanks();
  void SkipNumber();
  bool SkipString();  // false: no closing quote on this line
  bool SkipName();    // after % or @

  std::string_view text_;
  size_t at_ = 0;
};

// Undoes Quote(); false if an escape is malformed.
bool Unquote(std::string_view quoted, std::string* text);

// Returns `name` as it is written after % or @: unquoted if it has only name characters, else
// quoted.
std::string SpellName(std::string_view name);
// Returns whether the name is all digits, which would look like the number of an unnamed value.
bool IsNumbered(std::string_view name);
// Reads the name in a kValue or kAt token; false if an escape is malformed.
bool NameOf(const Token& token, std::string* name);

}  // namespace infer
