// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/words.h"

#include <algorithm>
#include <cctype>

#include "ir/base/strings.h"

namespace infer::emulation {
namespace {

constexpr std::string_view kElements[] = {"float",  "half", "bfloat", "char", "uchar", "short",
                                          "ushort", "int",  "uint",   "long", "ulong", "bool"};

// A real number without suffix is a float in MSL, a double in C++.
std::string TranslateNumber(std::string_view number) {
  const bool hex = number.starts_with("0x") || number.starts_with("0X");
  const bool real = number.find('.') != std::string_view::npos ||
                    number.find_first_of(hex ? "pP" : "eE") != std::string_view::npos;
  if (hex && !real) return std::string(number);
  if (ConsumeSuffix(number, "bf") || ConsumeSuffix(number, "BF")) {
    return StrCat("static_cast<bfloat>(", number, real ? "f)" : ".0f)");
  }
  if (ConsumeSuffix(number, "h") || ConsumeSuffix(number, "H")) {
    return StrCat(number, real ? "f16" : ".0f16");
  }
  if (!real) return std::string(number);
  const bool suffix = number.ends_with('f') || number.ends_with('F');
  return StrCat(number, suffix ? "" : "f");
}

}  // namespace

bool IsVectorType(std::string_view name) {
  ConsumePrefix(name, "packed_");
  if (name.empty() || name.back() < '2' || name.back() > '4') return false;
  name.remove_suffix(1);
  return std::ranges::find(kElements, name) != std::ranges::end(kElements);
}

std::string TranslateWord(const std::vector<Token>& tokens, size_t at) {
  const Token& token = tokens[at];
  if (token.kind == TokenKind::kNumber) return TranslateNumber(token.text);
  if (token.kind == TokenKind::kComment) {
    return StrCat(" ",
                  std::string(static_cast<size_t>(std::ranges::count(token.text, '\n')), '\n'));
  }
  if (token.kind != TokenKind::kIdentifier) return std::string(token.text);
  if (token.Is("device")) return "MSL_DEVICE";
  if (token.Is("constant")) return "MSL_CONSTANT";
  if (token.Is("threadgroup")) return "MSL_THREADGROUP";
  if (token.Is("thread")) return "";
  const size_t next = Neighbour(tokens, at);
  if (IsVectorType(token.text) && next < tokens.size() && tokens[next].Is("(")) {
    return StrCat("metal::msl_make<", token.text, ">");
  }
  return std::string(token.text);
}

std::string TranslateDirective(std::string_view directive) {
  const std::vector<Token> tokens = Tokenize(directive.substr(1));
  const size_t first = tokens.empty() || !tokens[0].blank() ? 0 : Neighbour(tokens, 0);
  if (first >= tokens.size()) return std::string(directive);
  // All files are one here.
  if (tokens[first].Is("pragma") && Stripped(directive).ends_with("once")) return "";
  if (!tokens[first].Is("define")) return std::string(directive);
  const size_t name = Neighbour(tokens, first);
  std::string text = "#";
  for (size_t i = 0; i < tokens.size(); ++i) {
    // Line ends within a macro are escaped, and comments may hide one.
    text += i <= name || tokens[i].blank() ? std::string(tokens[i].text) : TranslateWord(tokens, i);
  }
  return text;
}

}  // namespace infer::emulation
