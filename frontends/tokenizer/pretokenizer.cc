// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/pretokenizer.h"

#include "frontends/tokenizer/unicode_classes.h"
#include "frontends/tokenizer/utf8.h"

namespace infer {
namespace {

// Scans one text in one pass. Each Match function tries one alternative of the regex at `begin` and
// returns the end of its match, or `begin` if there is none.
class Scanner {
 public:
  Scanner(std::string_view text, int max_digits)
      : text_(text), max_digits_(max_digits), classes_(UnicodeClasses::Get()) {}

  size_t EndOfWord(size_t begin) const {
    if (text_[begin] == '\'') {
      if (size_t end = MatchContraction(begin); end > begin) return end;
    }
    Char first = At(begin);
    if (first.kind == CharClass::kLetter) return SkipWhile(CharClass::kLetter, first.end);
    if (first.kind == CharClass::kNumber) return EndOfNumber(first.end);
    if (first.kind != CharClass::kNewline) {
      Char second = At(first.end);
      if (second.kind == CharClass::kLetter) return SkipWhile(CharClass::kLetter, second.end);
      if (first.kind == CharClass::kOther) return EndOfSymbols(first.end);
      if (text_[begin] == ' ' && second.end > first.end && second.kind == CharClass::kOther) {
        return EndOfSymbols(second.end);
      }
    }
    return EndOfWhiteSpace(begin);
  }

 private:
  struct Char {
    CharClass kind;
    size_t end;  // the character's own begin if the text ends there
  };

  Char At(size_t pos) const {
    if (pos == text_.size()) return {CharClass::kOther, pos};
    DecodedCodePoint c = DecodeValidUtf8(text_, pos);
    return {classes_.class_of(c.value), pos + c.bytes};
  }

  size_t SkipWhile(CharClass kind, size_t pos) const {
    while (pos < text_.size()) {
      Char c = At(pos);
      if (c.kind != kind) break;
      pos = c.end;
    }
    return pos;
  }

  // The rest of \p{N}{1,max_digits} after its first character.
  size_t EndOfNumber(size_t pos) const {
    for (int digits = 1; digits < max_digits_ && pos < text_.size(); ++digits) {
      Char c = At(pos);
      if (c.kind != CharClass::kNumber) break;
      pos = c.end;
    }
    return pos;
  }

  char LowerAscii(size_t pos) const {
    char c = pos < text_.size() ? text_[pos] : '\0';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }

  // (?i:'s|'t|'re|'ve|'m|'ll|'d). Besides the ASCII letters only U+017F (long s) folds to one of
  // these letters.
  size_t MatchContraction(size_t begin) const {
    char first = LowerAscii(begin + 1);
    char second = LowerAscii(begin + 2);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return begin + 2;
    if ((first == 'r' || first == 'v') && second == 'e') return begin + 3;
    if (first == 'l' && second == 'l') return begin + 3;
    if (text_.substr(begin + 1, 2) == "\xC5\xBF") return begin + 3;
    return begin;
  }

  // The rest of [^\s\p{L}\p{N}]+[\r\n]* after its first character.
  size_t EndOfSymbols(size_t pos) const {
    return SkipWhile(CharClass::kNewline, SkipWhile(CharClass::kOther, pos));
  }

  // \s*[\r\n]+ takes a run of white space up to its last line end; \s+(?!\S) leaves the last
  // character of the run to the following word if the run has another; \s+ takes the rest.
  size_t EndOfWhiteSpace(size_t begin) const {
    size_t after_newline = begin;
    size_t last_begin = begin;
    size_t pos = begin;
    while (pos < text_.size()) {
      Char c = At(pos);
      if (c.kind != CharClass::kSpace && c.kind != CharClass::kNewline) break;
      last_begin = pos;
      pos = c.end;
      if (c.kind == CharClass::kNewline) after_newline = pos;
    }
    if (after_newline > begin) return after_newline;
    if (pos == text_.size() || last_begin == begin) return pos;
    return last_begin;
  }

  std::string_view text_;
  int max_digits_;
  const UnicodeClasses& classes_;
};

class ScanningPretokenizer final : public Pretokenizer {
 public:
  explicit ScanningPretokenizer(int max_digits) : max_digits_(max_digits) {}

  absl::Status Split(std::string_view text,
                     absl::FunctionRef<void(std::string_view word)> emit) const override {
    Scanner scanner(text, max_digits_);
    for (size_t begin = 0; begin < text.size();) {
      size_t end = scanner.EndOfWord(begin);
      emit(text.substr(begin, end - begin));
      begin = end;
    }
    return absl::OkStatus();
  }

 private:
  int max_digits_;
};

}  // namespace

std::unique_ptr<Pretokenizer> MakeScanningPretokenizer(int max_digits) {
  return std::make_unique<ScanningPretokenizer>(max_digits);
}

}  // namespace infer
