// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/translate.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "ir/base/strings.h"
#include "tests/metal_emulation/generator/words.h"

namespace infer::emulation {
namespace {

std::string Newlines(const std::vector<Token>& tokens, size_t begin, size_t end) {
  std::string lines;
  for (size_t i = begin; i < end && i < tokens.size(); ++i) {
    lines.append(static_cast<size_t>(std::ranges::count(tokens[i].text, '\n')), '\n');
  }
  return lines;
}

class Translator {
 public:
  explicit Translator(const Source& source) : source_(source), tokens_(source.tokens) {}

  Translation Run() {
    size_t i = 0;
    while (i < tokens_.size()) {
      MarkFile(tokens_[i]);
      const size_t next = Step(i);
      for (size_t k = i; k < next && k < tokens_.size(); ++k) Follow(tokens_[k]);
      i = next;
    }
    return std::move(result_);
  }

 private:
  // Writes what becomes of the tokens from `i` on; returns the first that is left.
  size_t Step(size_t i) {
    const Token& token = tokens_[i];
    if (token.kind == TokenKind::kComment) return Drop(i, i + 1);
    if (token.kind == TokenKind::kDirective) return Write(TranslateDirective(token.text), i + 1);
    if (token.Is("[[")) return StepAttribute(i);
    if (token.kind != TokenKind::kIdentifier) return Write(TranslateWord(tokens_, i), i + 1);
    if (token.Is("template")) return StepTemplate(i);
    if (token.Is("kernel")) {
      AddKernel(i);
      return Drop(i, i + 1);
    }
    if (token.Is("constant")) return StepConstant(i);
    if (token.Is("is_function_constant_defined")) return StepDefined(i);
    if (token.Is("threadgroup")) return StepThreadgroup(i);
    if (token.Is("if")) return StepIf(i);
    if (token.Is("vec")) return StepVectorTemplate(i);
    return Write(TranslateWord(tokens_, i), i + 1);
  }

  size_t Write(std::string_view text, size_t next) {
    result_.code += text;
    return next;
  }

  size_t Drop(size_t begin, size_t end) {
    // A word that goes leaves a blank, so that its neighbours stay apart.
    return Write(StrCat(" ", Newlines(tokens_, begin, end)), end);
  }

  void Error(size_t at, std::string text) {
    result_.errors.push_back(ErrorAt(source_, tokens_[at], std::move(text)));
  }

  void MarkFile(const Token& token) {
    if (token.file == file_) return;
    file_ = token.file;
    const std::string& path = source_.files[static_cast<size_t>(file_)]->path;
    StrAppend(&result_.code, "\n#line ", token.line, " \"", path, "\"\n");
  }

  void Follow(const Token& token) {
    if (token.Is("{")) ++depth_;
    if (token.Is("}")) --depth_;
    if (depth_ > 0 || !(token.Is(";") || token.Is("}"))) return;
    template_ = false;
    limit_at_ = tokens_.size();
  }

  size_t StepAttribute(size_t i) {
    for (const Attribute& attribute : ReadAttributes(tokens_, i)) {
      if (attribute.name == "kernel") AddKernel(i);
      if (attribute.name == "max_total_threads_per_threadgroup") limit_at_ = i;
    }
    return Drop(i, Closing(tokens_, i) + 1);
  }

  void AddKernel(size_t i) {
    // The limit of a kernel's threads may stand before the word.
    const size_t begin = limit_at_ < i ? limit_at_ : i;
    KernelDeclaration kernel = ReadKernel(source_, begin, template_, result_.errors);
    if (!kernel.is_template) {
      result_.tables.instances.push_back({.host_name = kernel.name,
                                          .expression = kernel.name,
                                          .function = kernel.name,
                                          .line = kernel.line});
    }
    std::string name = kernel.name;
    result_.tables.kernels[std::move(name)] = std::move(kernel);
  }

  size_t StepTemplate(size_t i) {
    const size_t next = Neighbour(tokens_, i);
    if (next >= tokens_.size() || !tokens_[next].Is("[[")) {
      template_ = true;
      return Write("template", i + 1);
    }
    size_t end = next;
    while (end < tokens_.size() && !tokens_[end].Is(";")) ++end;
    result_.tables.instances.push_back(
        ReadInstance(source_, i, end, result_.tables, result_.errors));
    return Drop(i, end + 1);
  }

  // A function constant, or the address space.
  size_t StepConstant(size_t i) {
    size_t end = i;
    size_t attribute_at = tokens_.size();
    while (end < tokens_.size() && !tokens_[end].Is(";") && !tokens_[end].Is("(")) {
      if (tokens_[end].Is("[[") && attribute_at == tokens_.size()) attribute_at = end;
      if (tokens_[end].Is("[[")) end = Closing(tokens_, end);
      ++end;
    }
    if (attribute_at == tokens_.size()) return Write("MSL_CONSTANT", i + 1);
    FunctionConstantDeclaration constant;
    for (const Attribute& attribute : ReadAttributes(tokens_, attribute_at)) {
      if (attribute.name != "function_constant") return Write("MSL_CONSTANT", i + 1);
      if (!absl::SimpleAtoi(attribute.argument, &constant.index)) {
        Error(i, "function_constant needs a number");
      }
    }
    const size_t name = Neighbour(tokens_, attribute_at, -1);
    constant.name = std::string(tokens_[name].text);
    for (size_t k = i + 1; k < name; ++k) {
      if (!tokens_[k].blank()) StrAppend(&constant.type, tokens_[k].text, " ");
    }
    constant.type = std::string(Stripped(constant.type));
    for (const FunctionConstantDeclaration& other : result_.tables.constants) {
      if (other.index == constant.index) {
        Error(i, StrCat("duplicate function constant index ", constant.index));
      }
    }
    StrAppend(&result_.code, "MSL_FUNCTION_CONSTANT(", constant.type, ", ", constant.name, ");",
              Newlines(tokens_, i, end));
    result_.tables.constants.push_back(std::move(constant));
    return end + 1;
  }

  size_t StepDefined(size_t i) {
    const size_t open = Neighbour(tokens_, i);
    const size_t name = Neighbour(tokens_, open);
    return Write(StrCat("(", tokens_[name].text, "_defined)"), Closing(tokens_, open) + 1);
  }

  // `threadgroup T name[n];` in a body is one object for the group; all else is a pointer's space.
  size_t StepThreadgroup(size_t i) {
    const size_t before = Neighbour(tokens_, i, -1);
    const bool statement = depth_ > 0 && before < tokens_.size() &&
                           (tokens_[before].Is(";") || tokens_[before].Is("{") ||
                            tokens_[before].Is("}") || tokens_[before].Is(")"));
    size_t end = i;
    bool pointer = false;
    while (statement && end < tokens_.size() && !tokens_[end].Is(";") && !tokens_[end].Is("=") &&
           !tokens_[end].Is(")")) {
      pointer = pointer || tokens_[end].Is("*") || tokens_[end].Is("&");
      ++end;
    }
    if (!statement || pointer || end >= tokens_.size() || !tokens_[end].Is(";")) {
      return Write("MSL_THREADGROUP", i + 1);
    }
    return StepThreadgroupVariable(i, end);
  }

  size_t StepThreadgroupVariable(size_t i, size_t end) {
    size_t name = end;
    int depth = 0;  // of brackets, those of template arguments too
    bool dimensions_begun = false;
    for (size_t k = i + 1; k < end; ++k) {
      if (tokens_[k].Is("<") || tokens_[k].Is("[")) ++depth;
      if (tokens_[k].Is(">") || tokens_[k].Is("]")) --depth;
      dimensions_begun = dimensions_begun || tokens_[k].Is("[");
      if (tokens_[k].Is(",") && depth == 0) {
        Error(i, "declare one threadgroup variable at a time");
        return end + 1;
      }
      const bool word = tokens_[k].kind == TokenKind::kIdentifier;
      if (word && depth == 0 && !dimensions_begun) name = k;
    }
    if (name == end) {
      Error(i, "a threadgroup variable needs a name");
      return end + 1;
    }
    std::string dimensions;
    for (size_t k = name + 1; k < end; ++k) dimensions += TranslateWord(tokens_, k);
    std::string type;
    for (size_t k = i + 1; k < name; ++k) type += TranslateWord(tokens_, k);
    return Write(
        StrCat("MSL_THREADGROUP_VARIABLE(", tokens_[name].text, ", ", dimensions, ", ", type, ");"),
        end + 1);
  }

  // Apple's compiler takes `if constexpr` at any level; the check for newer syntax would not.
  size_t StepIf(size_t i) {
    const size_t next = Neighbour(tokens_, i);
    if (next >= tokens_.size() || !tokens_[next].Is("constexpr")) return Write("if", i + 1);
    return Write(StrCat("if MSL_IF_CONSTEXPR", Newlines(tokens_, i, next)), next + 1);
  }

  // vec<T, 4>(...) is a constructor, vec<T, 4> name is not.
  size_t StepVectorTemplate(size_t i) {
    const size_t open = Neighbour(tokens_, i);
    if (open >= tokens_.size() || !tokens_[open].Is("<")) return Write("vec", i + 1);
    const size_t close = Closing(tokens_, open);
    const size_t next = close < tokens_.size() ? Neighbour(tokens_, close) : close;
    if (next >= tokens_.size() || !tokens_[next].Is("(")) return Write("vec", i + 1);
    std::string type;
    for (size_t k = i; k <= close; ++k) type += TranslateWord(tokens_, k);
    return Write(StrCat("metal::msl_make<", type, ">"), close + 1);
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  Translation result_;
  int file_ = -1;
  int depth_ = 0;
  bool template_ = false;             // within a template's declaration
  size_t limit_at_ = tokens_.size();  // [[max_total_threads_per_threadgroup]] of this declaration
};

}  // namespace

Translation Translate(const Source& source) { return Translator(source).Run(); }

}  // namespace infer::emulation
