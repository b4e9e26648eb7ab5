// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/lexer.h"

#include <algorithm>
#include <cctype>

#include "absl/status/status.h"
#include "frontends/chat/string_literal.h"
#include "frontends/chat/unicode_text.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

// Longer operators first.
constexpr std::string_view kOperators[] = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                           "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                           ">",  "<",  "=",  ".",  ":",  "|",  ",", ";"};

bool IsAsciiSpace(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool IsDigitChar(char c) { return c >= '0' && c <= '9'; }
bool IsNameChar(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  absl::StatusOr<std::vector<Token>> Run() {
    while (pos_ < source_.size()) RETURN_IF_ERROR(LexTextAndTag());
    Add(TokenKind::kEnd, source_.size(), "");
    return std::move(tokens_);
  }

 private:
  void Add(TokenKind kind, size_t offset, std::string text) {
    tokens_.push_back({kind, offset, std::move(text)});
  }
  absl::Status Error(size_t offset, std::string_view message) const {
    return TemplateError(source_, offset, message);
  }
  bool At(std::string_view text) const { return source_.substr(pos_).starts_with(text); }

  size_t NextTag(size_t from) const {
    for (size_t at = source_.find('{', from); at != std::string_view::npos;
         at = source_.find('{', at + 1)) {
      const char next = at + 1 < source_.size() ? source_[at + 1] : '\0';
      if (next == '%' || next == '{' || next == '#') return at;
    }
    return source_.size();
  }

  // Removes what the tag at `tag` asks to remove from the end of the text before it.
  size_t EndOfText(size_t begin, size_t tag) const {
    const char sign = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    std::string_view text = source_.substr(begin, tag - begin);
    if (sign == '-') return begin + Strip(text, nullptr, false, true).end;
    if (sign == '+' || source_[tag + 1] == '{') return tag;
    const size_t line = text.rfind('\n');
    if (line == std::string_view::npos && !line_starts_) return tag;
    const size_t indent = line == std::string_view::npos ? 0 : line + 1;
    const ByteRange rest = Strip(text.substr(indent), nullptr, true, false);
    return rest.begin == rest.end ? begin + indent : tag;
  }

  absl::Status LexTextAndTag() {
    const size_t tag = NextTag(pos_);
    const size_t end = tag == source_.size() ? tag : EndOfText(pos_, tag);
    if (end > pos_) Add(TokenKind::kText, pos_, std::string(source_.substr(pos_, end - pos_)));
    pos_ = tag;
    if (tag == source_.size()) return absl::OkStatus();
    const char kind = source_[tag + 1];
    if (kind == '#') return SkipComment();
    if (kind == '%') {
      if (const size_t after = AfterRawTag(tag, "raw"); after != 0) return LexRaw(tag, after);
    }
    pos_ += 2;
    if (At("-") || At("+")) ++pos_;
    Add(kind == '{' ? TokenKind::kPrint : TokenKind::kBlock, tag, "");
    return LexInside(tag, kind == '{');
  }

  absl::Status SkipComment() {
    size_t begin = pos_ + 2;
    if (begin < source_.size() && (source_[begin] == '-' || source_[begin] == '+')) ++begin;
    const size_t close = source_.find("#}", begin);
    if (close == std::string_view::npos) return Error(pos_, "this comment has no end; add #}");
    const char sign = close > begin ? source_[close - 1] : '\0';
    pos_ = close + 2;
    AfterTag(sign);
    return absl::OkStatus();
  }

  // Skips the white space that the end of a block or comment removes.
  void AfterTag(char sign) {
    if (sign == '-') {
      pos_ += Strip(source_.substr(pos_), nullptr, true, false).begin;
    } else if (sign != '+' && At("\n")) {
      ++pos_;
    }
    line_starts_ = pos_ > 0 && source_[pos_ - 1] == '\n';
  }

  // Returns the position after {% word %} at `tag`, before any white space is removed, or 0.
  size_t AfterRawTag(size_t tag, std::string_view word) const {
    size_t at = tag + 2;
    if (at < source_.size() && (source_[at] == '-' || source_[at] == '+')) ++at;
    while (at < source_.size() && IsAsciiSpace(source_[at])) ++at;
    if (!source_.substr(at).starts_with(word)) return 0;
    at += word.size();
    while (at < source_.size() && IsAsciiSpace(source_[at])) ++at;
    if (at < source_.size() && (source_[at] == '-' || source_[at] == '+')) ++at;
    return source_.substr(at).starts_with("%}") ? at + 2 : 0;
  }

  absl::Status LexRaw(size_t tag, size_t after) {
    pos_ = after;
    AfterTag(source_[after - 3] == '-' ? '-' : '+');  // a newline after {% raw %} stays
    const size_t begin = pos_;
    for (size_t at = source_.find("{%", begin); at != std::string_view::npos;
         at = source_.find("{%", at + 2)) {
      const size_t after_end = AfterRawTag(at, "endraw");
      if (after_end == 0) continue;
      const size_t end = EndOfText(begin, at);
      if (end > begin)
        Add(TokenKind::kText, begin, std::string(source_.substr(begin, end - begin)));
      pos_ = after_end;
      AfterTag(source_[after_end - 3]);
      return absl::OkStatus();
    }
    return Error(tag, "this raw block has no end; add {% endraw %}");
  }

  // Returns whether the tag ends here, and skips its end.
  bool EndsTag(bool is_print) {
    const std::string_view close = is_print ? "}}" : "%}";
    const char sign = At("-") || (At("+") && !is_print) ? source_[pos_] : '\0';
    const size_t skip = sign == '\0' ? 0 : 1;
    if (!source_.substr(pos_ + skip).starts_with(close)) return false;
    Add(is_print ? TokenKind::kPrintEnd : TokenKind::kBlockEnd, pos_, "");
    pos_ += skip + 2;
    AfterTag(is_print && sign == '\0' ? '+' : sign);
    return true;
  }

  absl::Status LexInside(size_t tag, bool is_print) {
    std::string open;  // brackets, so that }} may close two dicts
    while (pos_ < source_.size()) {
      if (open.empty() && EndsTag(is_print)) return absl::OkStatus();
      const char c = source_[pos_];
      if (IsAsciiSpace(c)) {
        ++pos_;
      } else if (c == '\'' || c == '"') {
        RETURN_IF_ERROR(LexString(c));
      } else if (IsDigitChar(c)) {
        LexNumber();
      } else if (IsNameChar(c)) {
        const size_t begin = pos_;
        while (pos_ < source_.size() && IsNameChar(source_[pos_])) ++pos_;
        Add(TokenKind::kName, begin, std::string(source_.substr(begin, pos_ - begin)));
      } else {
        RETURN_IF_ERROR(LexOperator(&open));
      }
    }
    return Error(tag, is_print ? "this tag has no end; add }}" : "this tag has no end; add %}");
  }

  absl::Status LexString(char quote) {
    const size_t begin = pos_++;
    while (pos_ < source_.size() && source_[pos_] != quote) pos_ += source_[pos_] == '\\' ? 2 : 1;
    if (pos_ >= source_.size()) return Error(begin, "this string has no end; add a quote");
    Add(TokenKind::kString, begin, Unescape(source_.substr(begin + 1, pos_ - begin - 1)));
    ++pos_;
    return absl::OkStatus();
  }

  void SkipDigits() {
    while (pos_ < source_.size() && (IsDigitChar(source_[pos_]) || source_[pos_] == '_')) ++pos_;
  }
  char Peek(size_t ahead) const {
    return pos_ + ahead < source_.size() ? source_[pos_ + ahead] : '\0';
  }

  void LexNumber() {
    const size_t begin = pos_;
    TokenKind kind = TokenKind::kInteger;
    SkipDigits();
    // `items.0.5` is an index of an index, not a fraction.
    const bool after_dot = begin > 0 && source_[begin - 1] == '.';
    if (!after_dot && Peek(0) == '.' && IsDigitChar(Peek(1))) {
      kind = TokenKind::kFloat;
      ++pos_;
      SkipDigits();
    }
    const bool has_sign = Peek(1) == '+' || Peek(1) == '-';
    if (!after_dot && (Peek(0) == 'e' || Peek(0) == 'E') && IsDigitChar(Peek(has_sign ? 2 : 1))) {
      kind = TokenKind::kFloat;
      pos_ += has_sign ? 2 : 1;
      SkipDigits();
    }
    std::string digits(source_.substr(begin, pos_ - begin));
    std::erase(digits, '_');
    Add(kind, begin, std::move(digits));
  }

  absl::Status LexOperator(std::string* open) {
    for (std::string_view op : kOperators) {
      if (!At(op)) continue;
      if (op == "(" || op == "[" || op == "{") {
        *open += op == "(" ? ')' : op == "[" ? ']' : '}';
      } else if (op == ")" || op == "]" || op == "}") {
        if (open->empty() || open->back() != op[0]) {
          return Error(pos_, StrCat("'", op, "' closes no open bracket"));
        }
        open->pop_back();
      }
      Add(TokenKind::kOperator, pos_, std::string(op));
      pos_ += op.size();
      return absl::OkStatus();
    }
    return Error(pos_, StrCat("unexpected character '", source_.substr(pos_, 1), "'"));
  }

  std::string_view source_;
  size_t pos_ = 0;
  bool line_starts_ = true;  // nothing but removed text precedes on this line
  std::vector<Token> tokens_;
};

}  // namespace

absl::StatusOr<std::vector<Token>> LexTemplate(std::string_view source) {
  return Lexer(source).Run();
}

std::string PlaceOf(std::string_view source, size_t offset) {
  std::string_view before = source.substr(0, std::min(offset, source.size()));
  const auto line = std::ranges::count(before, '\n') + 1;
  const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return StrCat("line ", line, ", column ", CountCharacters(before.substr(line_begin)) + 1);
}

absl::Status TemplateError(std::string_view source, size_t offset, std::string_view message) {
  return absl::InvalidArgumentError(
      StrCat(kTemplateErrorStart, PlaceOf(source, offset), ": ", message));
}

}  // namespace infer::chat
