// SPDX-License-Identifier: Apache-2.0
#include "ir/text/lexer.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"

namespace infer {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsWordStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsWordChar(char c) { return IsWordStart(c) || IsDigit(c); }
bool IsNameChar(char c) { return IsWordChar(c) || c == '.' || c == '-' || c == '/'; }

}  // namespace

void Lexer::SkipBlanks() {
  while (at_ < text_.size()) {
    char c = text_[at_];
    if (c == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

// Takes every character that a number may contain; the reader decides whether it is valid. A point
// belongs to it only before a digit, so that 1..512 is a range.
void Lexer::SkipNumber() {
  size_t begin = at_++;
  bool hex = text_[begin] == '0' && Peek() == 'x';
  for (; at_ < text_.size(); ++at_) {
    char before = text_[at_ - 1];
    bool sign = (Peek() == '-' || Peek() == '+') && (before == 'e' || before == 'E') && !hex;
    bool point = Peek() == '.' && IsDigit(Peek(1));
    if (!sign && !point && !IsWordChar(Peek())) return;
  }
}

bool Lexer::SkipString() {
  for (++at_; at_ < text_.size() && Peek() != '\n'; ++at_) {
    if (Peek() == '"') {
      ++at_;
      return true;
    }
    if (Peek() == '\\' && Peek(1) != '\n' && at_ + 1 < text_.size()) ++at_;
  }
  return false;
}

bool Lexer::SkipName() {
  bool is_value = text_[at_++] == '%';
  size_t begin = at_;
  if (Peek() == '"') {
    if (!SkipString()) return false;
  } else {
    while (IsNameChar(Peek())) ++at_;
    if (at_ == begin) return false;
  }
  if (is_value && Peek() == '~' && IsDigit(Peek(1))) {
    ++at_;
    while (IsDigit(Peek())) ++at_;
  }
  return true;
}

Token Lexer::Next() {
  SkipBlanks();
  size_t begin = at_;
  auto token = [&](TokenKind kind) { return Token{kind, text_.substr(begin, at_ - begin)}; };
  if (at_ == text_.size()) return token(TokenKind::kEnd);
  char c = Peek();
  if (c == '%') return token(SkipName() ? TokenKind::kValue : TokenKind::kBad);
  if (c == '@') return token(SkipName() ? TokenKind::kAt : TokenKind::kBad);
  if (c == '"') return token(SkipString() ? TokenKind::kString : TokenKind::kBad);
  if (IsWordStart(c)) {
    while (IsWordChar(Peek())) ++at_;
    return token(TokenKind::kWord);
  }
  if (IsDigit(c) || (c == '-' && IsWordChar(Peek(1)))) {
    SkipNumber();
    return token(TokenKind::kNumber);
  }
  bool dots = c == '.' && Peek(1) == '.';
  at_ += dots ? 2 : 1;
  bool punct = dots || std::string_view("(){}[]<>=,:").find(c) != std::string_view::npos;
  return token(punct ? TokenKind::kPunct : TokenKind::kBad);
}

bool Unquote(std::string_view quoted, std::string* text) {
  return absl::CUnescape(ToAbsl(quoted.substr(1, quoted.size() - 2)), text);
}

std::string SpellName(std::string_view name) {
  bool plain = !name.empty() && std::all_of(name.begin(), name.end(), IsNameChar);
  return plain ? std::string(name) : Quote(name);
}

bool IsNumbered(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsDigit);
}

bool NameOf(const Token& token, std::string* name) {
  std::string_view text = token.text.substr(1);
  if (text.front() == '"') return Unquote(text.substr(0, text.rfind('"') + 1), name);
  text = text.substr(0, text.find('~'));
  bool made_up = token.kind == TokenKind::kValue && IsNumbered(text);
  *name = made_up ? "" : text;
  return true;
}

}  // namespace infer
