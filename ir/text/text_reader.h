// SPDX-License-Identifier: Apache-2.0
//
// Reads fields and records (ir/text/text_fields.h) from text.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/nearest.h"
#include "ir/base/strings.h"
#include "ir/graph/graph.h"
#include "ir/graph/plan_terms.h"
#include "ir/policy/policy.h"
#include "ir/text/lexer.h"
#include "ir/text/text_fields.h"

namespace infer {

// Reads the tokens of a text in order. Every function returns false after an error, the first of
// which is kept, so that callers chain with &&. Nothing here recurses deeper than the structs of
// ir/text/text_fields.h nest.
class TextReader {
 public:
  // Graphs that people write or compilers dump have some thousand nodes; the limits keep the memory
  // for a hostile text close to the size of the text.
  static constexpr size_t kMaxTextBytes = size_t{64} << 20;
  static constexpr size_t kMaxNodes = size_t{1} << 20;
  static constexpr size_t kMaxItems = size_t{8} << 20;  // values, operands and list elements

  explicit TextReader(std::string_view text);

  const absl::Status& status() const { return status_; }
  const Token& token() const { return token_; }
  static std::string Shown(const Token& token);       // in quotes, on one line, shortened if long
  bool Fail(const Token& at, std::string_view what);  // "3:17: what"
  bool Expected(std::string_view what);               // fails at the current token

  bool At(std::string_view text) const { return token_.text == text && IsPlain(); }
  bool At(TokenKind kind) const { return token_.kind == kind; }
  TokenKind PeekKind() const { return Lexer(lexer_).Next().kind; }
  void Advance() { token_ = lexer_.Next(); }
  bool Accept(std::string_view text);  // takes the token if it matches; no error otherwise
  bool Expect(std::string_view text);
  bool Take(TokenKind kind, std::string_view what, Token* token);
  bool CountItem();  // false beyond kMaxItems

  bool Read(bool* value, FieldStyle = {});
  bool Read(double* value, FieldStyle = {});
  bool Read(std::string* value, FieldStyle = {});
  bool Read(ValueType* type, FieldStyle = {});
  bool Read(TensorType* type, FieldStyle = {});
  bool Read(Dim* dim, FieldStyle = {});
  bool Read(SymbolRanges* symbols, FieldStyle = {});
  bool Read(ValueRef* ref, FieldStyle = {});
  bool Read(Policy* policy, FieldStyle = {});  // in ir/text/program_text.cc
  bool ReadRange(Range* range);                // 1..512
  bool ReadNode(int32_t* position);            // by its first result
  bool ReadOperand(Value* value);              // a value that is already defined
  bool ReadName(TokenKind kind, std::string_view what, Token* token, std::string* name);
  bool Define(const Token& name, Value value, int32_t position);
  void ForgetValues() { values_.clear(); }

  template <std::integral T>
  bool Read(T* value, FieldStyle style = {}) {
    if constexpr (std::is_same_v<T, int32_t>) {
      if (style == FieldStyle::kNode) return ReadNode(value);
    }
    return ReadInt(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                   style == FieldStyle::kHex);
  }
  template <std::integral T>
  bool ReadInt(T* value, T min, T max, bool hex = false) {
    std::string_view digits = token_.text;
    if (hex) digits.remove_prefix(digits.starts_with("0x") ? 2 : digits.size());
    const char* end = digits.data() + digits.size();
    auto [ptr, error] = std::from_chars(digits.data(), end, *value, hex ? 16 : 10);
    if (!At(TokenKind::kNumber) || error != std::errc() || ptr != end || *value < min ||
        *value > max) {
      return Expected(hex ? "0x and up to 16 hex digits"
                          : StrCat("a whole number from ", min, " to ", max));
    }
    Advance();
    return true;
  }

  template <class E>
    requires std::is_enum_v<E>
  bool Read(E* value, FieldStyle = {}) {
    std::optional<E> found = FindName(token_.text, static_cast<E*>(nullptr));
    if (!found) return Fail(token_, StrCat("unknown name ", Shown(token_), " for this field"));
    *value = *found;
    Advance();
    return true;
  }
  template <class T>
  bool Read(std::optional<T>* value, FieldStyle style = {}) {
    return Read(&value->emplace(), style);
  }
  template <class T>
  bool Read(std::vector<T>* list, FieldStyle = {}) {
    if (!Expect("[")) return false;
    while (!At("]")) {
      if (!CountItem() || !Read(&list->emplace_back())) return false;
      if (!At("]") && !Expect(",")) return false;
    }
    return Expect("]");
  }
  template <IsRecord T>
  bool Read(T* record, FieldStyle = {}) {
    if (!Expect("{")) return false;
    uint64_t seen = 0;  // one bit per field
    while (!At("}")) {
      if (!ReadField(record, &seen)) return false;
      if (!At("}") && !Expect(",")) return false;
    }
    return Expect("}");
  }

 private:
  struct Definition {
    Value value;
    int32_t position;
  };

  template <class T>
  bool ReadField(T* record, uint64_t* seen) {
    Token key;
    if (!Take(TokenKind::kWord, "a field name", &key)) return false;
    std::vector<std::string_view> known;
    bool found = false;
    bool ok = true;
    Record<T>::Fields([&](std::string_view name, auto member, FieldStyle style = {}) {
      uint64_t bit = uint64_t{1} << known.size();
      known.push_back(name);
      if (name != key.text) return;
      found = true;
      ok = (*seen & bit) == 0 ? Expect("=") && Read(&(record->*member), style)
                              : Fail(key, StrCat("field ", Shown(key), " is given twice"));
      *seen |= bit;
    });
    return found ? ok
                 : Fail(key, StrCat("unknown field ", Shown(key), DidYouMean(key.text, known)));
  }

  const Definition* FindValue();
  bool ReadDims(Shape* shape);
  // Strings and names never match a keyword or punctuation.
  bool IsPlain() const {
    return token_.kind == TokenKind::kWord || token_.kind == TokenKind::kPunct;
  }

  std::string_view text_;
  Lexer lexer_;
  Token token_;
  absl::Status status_;
  size_t items_ = 0;
  std::unordered_map<std::string_view, Definition> values_;
};

// Reads a graph from `graph` to its closing brace.
bool ReadGraph(TextReader& in, Graph* graph);

}  // namespace infer
