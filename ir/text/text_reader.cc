// SPDX-License-Identifier: Apache-2.0
#include "ir/text/text_reader.h"

#include <algorithm>

#include "absl/strings/charconv.h"
#include "absl/strings/escaping.h"

namespace infer {

TextReader::TextReader(std::string_view text)
    : text_(text.substr(0, kMaxTextBytes)), lexer_(text_) {
  Advance();
  if (text.size() > kMaxTextBytes) {
    Fail(token_,
         StrCat("the text has ", text.size(), " bytes, at most ", kMaxTextBytes, " are read"));
  }
}

bool TextReader::Fail(const Token& at, std::string_view what) {
  if (!status_.ok()) return false;
  std::string_view before = text_.substr(0, static_cast<size_t>(at.text.data() - text_.data()));
  auto line = 1 + std::count(before.begin(), before.end(), '\n');
  size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  status_ =
      absl::InvalidArgumentError(StrCat(line, ":", before.size() - line_begin + 1, ": ", what));
  return false;
}

bool TextReader::Expected(std::string_view what) {
  return Fail(token_, StrCat("expected ", what, ", found ", Shown(token_)));
}

std::string TextReader::Shown(const Token& token) {
  constexpr size_t kMaxShownBytes = 40;
  if (token.kind == TokenKind::kEnd) return "the end of the text";
  std::string_view text = token.text.substr(0, kMaxShownBytes);
  if (token.kind == TokenKind::kBad && text.front() == '"') return "a string without its end";
  return StrCat("'", absl::CHexEscape(ToAbsl(text)), text.size() < token.text.size() ? "..." : "",
                "'");
}

bool TextReader::Accept(std::string_view text) {
  if (!status_.ok() || !At(text)) return false;
  Advance();
  return true;
}

bool TextReader::Expect(std::string_view text) {
  return Accept(text) || Expected(StrCat("'", text, "'"));
}

bool TextReader::Take(TokenKind kind, std::string_view what, Token* token) {
  if (!status_.ok() || !At(kind)) return Expected(what);
  *token = token_;
  Advance();
  return true;
}

bool TextReader::CountItem() {
  return ++items_ <= kMaxItems ||
         Fail(token_, StrCat("more than ", kMaxItems, " values, operands and list elements"));
}

bool TextReader::Read(bool* value, FieldStyle) {
  *value = At("true");
  return Accept("true") || Accept("false") || Expected("true or false");
}

bool TextReader::Read(double* value, FieldStyle) {
  // Abseil's from_chars: libc++ has none for double before version 20.
  const char* end = token_.text.data() + token_.text.size();
  auto [ptr, error] = absl::from_chars(token_.text.data(), end, *value);
  bool number = At(TokenKind::kNumber) || At("inf") || At("nan");
  if (!number || error != std::errc() || ptr != end) return Expected("a number");
  Advance();
  return true;
}

bool TextReader::Read(std::string* value, FieldStyle) {
  Token token;
  if (!Take(TokenKind::kString, "a string in double quotes", &token)) return false;
  return Unquote(token.text, value) || Fail(token, StrCat("bad escape in ", Shown(token)));
}

bool TextReader::ReadDims(Shape* shape) {
  *shape = Shape();
  if (!Expect("[")) return false;
  while (!At("]")) {
    if (shape->rank() == Shape::kMaxRank) {
      return Fail(token_, StrCat("a shape has at most ", Shape::kMaxRank, " dimensions"));
    }
    Dim dim;
    if (!Read(&dim)) return false;
    shape->Append(dim);
    if (!At("]") && !Expect(",")) return false;
  }
  return Expect("]");
}

bool TextReader::Read(Dim* dim, FieldStyle) {
  if (std::optional<Symbol> symbol = FindSymbol(token_.text)) {
    *dim = *symbol;
    Advance();
    return true;
  }
  int64_t value = 0;
  if (!At(TokenKind::kNumber)) return Expected("a dimension: a number, T, R or S");
  if (!ReadInt<int64_t>(&value, 1, kMaxDim)) return false;
  *dim = value;
  return true;
}

bool TextReader::Read(TensorType* type, FieldStyle) {
  std::optional<DType> dtype = FindDType(token_.text);
  if (!dtype || !At(TokenKind::kWord)) {
    if (!At(TokenKind::kWord)) return Expected("a type");
    std::vector<std::string_view> known = {"batch", "kv"};
    for (const DTypeInfo& info : AllDTypes()) known.push_back(info.name);
    return Fail(token_, StrCat("unknown type ", Shown(token_), DidYouMean(token_.text, known)));
  }
  type->dtype = *dtype;
  Advance();
  return ReadDims(&type->shape);
}

bool TextReader::Read(ValueType* type, FieldStyle) {
  *type = ValueType();
  if (Accept("batch")) {
    type->kind = TypeKind::kBatch;
    return true;
  }
  if (!Accept("kv")) return Read(&type->tensor);
  type->kind = TypeKind::kKv;
  return Expect("<") && Read(&type->tensor) && Expect(">");
}

bool TextReader::ReadRange(Range* range) {
  return Read(&range->min) && Expect("..") && Read(&range->max);
}

bool TextReader::Read(SymbolRanges* symbols, FieldStyle) {
  if (!Expect("(")) return false;
  while (!At(")")) {
    Token at = token_;
    std::optional<Symbol> symbol = FindSymbol(at.text);
    if (!symbol) return Expected("a symbol: T, R or S");
    Advance();
    Range& range = (*symbols)[*symbol];
    if (range.is_set()) return Fail(at, StrCat("symbol ", Shown(at), " is given twice"));
    if (!Expect("=") || !ReadRange(&range)) return false;
    if (!range.is_set()) return Fail(at, StrCat("the range of ", Shown(at), " ends at 0"));
    if (!At(")") && !Expect(",")) return false;
  }
  return Expect(")");
}

bool TextReader::ReadName(TokenKind kind, std::string_view what, Token* token, std::string* name) {
  return Take(kind, what, token) &&
         (NameOf(*token, name) || Fail(*token, StrCat("bad escape in ", Shown(*token))));
}

bool TextReader::Define(const Token& name, Value value, int32_t position) {
  return values_.try_emplace(name.text, Definition{value, position}).second ||
         Fail(name, StrCat("value ", Shown(name), " is defined twice"));
}

const TextReader::Definition* TextReader::FindValue() {
  Token name;
  if (!Take(TokenKind::kValue, "a value", &name)) return nullptr;
  auto it = values_.find(name.text);
  if (it != values_.end()) return &it->second;
  Fail(name, StrCat("value ", Shown(name), " is not defined before its use"));
  return nullptr;
}

bool TextReader::ReadOperand(Value* value) {
  const Definition* found = CountItem() ? FindValue() : nullptr;
  if (found != nullptr) *value = found->value;
  return found != nullptr;
}

bool TextReader::Read(ValueRef* ref, FieldStyle) {
  const Definition* found = FindValue();
  if (found != nullptr) *ref = {found->position, found->value.index};
  return found != nullptr;
}

bool TextReader::ReadNode(int32_t* position) {
  Token name = token_;
  ValueRef ref;
  if (!Read(&ref)) return false;
  *position = ref.node;
  return ref.result == 0 || Fail(name, StrCat(Shown(name), " is not the first result of its node"));
}

}  // namespace infer
