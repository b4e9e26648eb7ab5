// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/token.h"

#include <algorithm>
#include <cctype>

namespace infer::emulation {
namespace {

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool IsSpace(char c) { return std::isspace(static_cast<unsigned char>(c)); }

size_t EndOfDirective(std::string_view text) {
  size_t end = 0;
  while (true) {
    end = text.find('\n', end);
    if (end == std::string_view::npos) return text.size();
    if (end == 0 || text[end - 1] != '\\') return end;
    ++end;
  }
}

size_t EndOfQuoted(std::string_view text) {
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == text[0]) {
      return i + 1;
    }
  }
  return text.size();
}

size_t EndOfNumber(std::string_view text) {
  size_t i = 1;
  while (i < text.size()) {
    const char previous = text[i - 1];
    const bool exponent = std::string_view("eEpP").find(previous) != std::string_view::npos;
    const bool hex = text.starts_with("0x") && (previous == 'e' || previous == 'E');
    const bool sign = (text[i] == '+' || text[i] == '-') && exponent && !hex;
    if (!IsWord(text[i]) && text[i] != '.' && !sign) break;
    ++i;
  }
  return i;
}

// Kind and length of the token that `text` begins with.
std::pair<TokenKind, size_t> First(std::string_view text, bool line_start) {
  const auto length_while = [&](auto test) {
    return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), test) - text.begin());
  };
  if (IsSpace(text[0])) return {TokenKind::kSpace, length_while(IsSpace)};
  if (text[0] == '#' && line_start) return {TokenKind::kDirective, EndOfDirective(text)};
  if (text.starts_with("//")) {
    return {TokenKind::kComment, std::min(text.find('\n'), text.size())};
  }
  if (text.starts_with("/*")) {
    const size_t end = text.find("*/", 2);
    return {TokenKind::kComment, end == std::string_view::npos ? text.size() : end + 2};
  }
  if (text[0] == '"' || text[0] == '\'') return {TokenKind::kText, EndOfQuoted(text)};
  if (IsDigit(text[0]) || (text[0] == '.' && text.size() > 1 && IsDigit(text[1]))) {
    return {TokenKind::kNumber, EndOfNumber(text)};
  }
  if (IsWord(text[0])) return {TokenKind::kIdentifier, length_while(IsWord)};
  for (const std::string_view pair : {"[[", "]]", "::", "->", "<<"}) {
    if (text.starts_with(pair)) return {TokenKind::kPunct, 2};
  }
  return {TokenKind::kPunct, 1};
}

}  // namespace

bool ConsumePrefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool ConsumeSuffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::string_view Stripped(std::string_view text) {
  while (!text.empty() && IsSpace(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<Token> Tokenize(std::string_view text, int file) {
  std::vector<Token> tokens;
  int line = 1;
  bool line_start = true;
  while (!text.empty()) {
    const auto [kind, length] = First(text, line_start);
    const std::string_view word = text.substr(0, length);
    tokens.push_back({kind, word, file, line});
    const auto newlines = std::count(word.begin(), word.end(), '\n');
    line += static_cast<int>(newlines);
    if (kind == TokenKind::kSpace) {
      line_start = line_start || newlines > 0;
    } else if (kind != TokenKind::kComment) {
      line_start = false;
    }
    text.remove_prefix(length);
  }
  return tokens;
}

size_t Neighbour(std::span<const Token> tokens, size_t at, int step) {
  size_t i = at;
  do {
    if (step < 0 && i == 0) return tokens.size();
    i += static_cast<size_t>(step);
  } while (i < tokens.size() && tokens[i].blank());
  return std::min(i, tokens.size());
}

size_t Closing(std::span<const Token> tokens, size_t at) {
  const std::string_view open = tokens[at].text;
  const std::string_view close = open == "("    ? ")"
                                 : open == "{"  ? "}"
                                 : open == "["  ? "]"
                                 : open == "[[" ? "]]"
                                                : ">";
  int depth = 0;
  for (size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].Is(open)) ++depth;
    if (tokens[i].Is(close) && --depth == 0) return i;
  }
  return tokens.size();
}

}  // namespace infer::emulation
