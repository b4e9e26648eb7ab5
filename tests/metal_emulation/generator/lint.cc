// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/lint.h"

#include <algorithm>
#include <set>
#include <string>

#include "ir/base/strings.h"
#include "tests/metal_emulation/generator/functions.h"
#include "tests/metal_emulation/generator/lint_words.h"
#include "tests/metal_emulation/generator/words.h"

namespace infer::emulation {
namespace {

class Linter {
 public:
  Linter(const Source& source, std::string_view level)
      : source_(source), tokens_(source.tokens), level_(level) {
    CollectTypes();
  }

  std::vector<Diagnostic> Run() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::kIdentifier) CheckWord(i);
      if (tokens_[i].Is("[")) CheckLambda(i);
      if (tokens_[i].Is("*") || tokens_[i].Is("&")) CheckSpace(i);
      if (tokens_[i].Is(":")) CheckBase(i);
    }
    const std::vector<FunctionDefinition> functions = FindFunctions(tokens_);
    for (const FunctionDefinition* function : RecursiveFunctions(functions)) {
      Error(function->name_at, StrCat("'", function->name,
                                      "' calls itself: recursion is not "
                                      "supported"));
    }
    for (const FunctionDefinition& function : functions) CheckBody(function);
    CheckDerivedConstants();
    return std::move(errors_);
  }

 private:
  void Error(size_t at, std::string text) {
    errors_.push_back(ErrorAt(source_, tokens_[at], std::move(text)));
  }

  const Token* At(size_t i) const { return i < tokens_.size() ? &tokens_[i] : nullptr; }

  void CheckWord(size_t i) {
    const std::string_view word = tokens_[i].text;
    const auto denied = std::ranges::find(kNoWords, word, &Denied::word);
    if (denied != std::ranges::end(kNoWords)) {
      Error(i, StrCat("'", word, "': ", denied->reason));
    }
    const auto since = std::ranges::find_if(kSince, [&](const Since& row) {
      return row.word == word ||
             (row.word == "bfloat" && word.starts_with("bfloat") && IsVectorType(word));
    });
    if (since != std::ranges::end(kSince) && level_ < since->level) {
      Error(i, StrCat("'", word, "' is Metal ", since->level, ", the level is ", level_));
    }
    const Token* const next = At(Neighbour(tokens_, i));
    if (word == "auto" && next != nullptr && next->Is("[")) {
      Error(i, "structured bindings are C++17, Metal is C++14");
    }
  }

  // A '[' that follows no operand begins a lambda.
  void CheckLambda(size_t i) {
    const Token* const before = At(Neighbour(tokens_, i, -1));
    if (before == nullptr) return;
    if (before->Is("=") || before->Is("(") || before->Is(",") || before->Is("return")) {
      Error(i, "lambdas are not supported");
    }
  }

  // `T * name` or `T & name` where a declaration may begin, T a type and no address space before.
  void CheckSpace(size_t i) {
    const Token* const name = At(Neighbour(tokens_, i));
    if (name == nullptr || name->kind != TokenKind::kIdentifier || name->Is("const")) return;
    size_t k = Neighbour(tokens_, i, -1);
    if (k < tokens_.size() && tokens_[k].Is("const")) k = Neighbour(tokens_, k, -1);
    if (k >= tokens_.size() || !types_.contains(tokens_[k].text)) return;
    k = Neighbour(tokens_, k, -1);
    while (k < tokens_.size() && tokens_[k].Is("const")) k = Neighbour(tokens_, k, -1);
    if (k >= tokens_.size()) return;
    const Token& before = tokens_[k];
    if (before.Is("(") || before.Is(",") || before.Is(";") || before.Is("{") || before.Is("}") ||
        before.Is(")")) {
      Error(i, StrCat("'", name->text, "' is a pointer or reference without an address space"));
    }
  }

  // struct A : B
  void CheckBase(size_t i) {
    const size_t name = Neighbour(tokens_, i, -1);
    const Token* const word = name < tokens_.size() ? At(Neighbour(tokens_, name, -1)) : nullptr;
    if (word != nullptr && (word->Is("struct") || word->Is("class"))) {
      Error(i, "derived classes are not supported");
    }
  }

  void CheckBody(const FunctionDefinition& function) {
    const bool kernel = IsKernel(function);
    for (size_t i = function.body_begin; i < function.body_end; ++i) {
      if (tokens_[i].Is("static")) Error(i, "static variables in a function are not supported");
      if (!kernel && tokens_[i].Is("threadgroup") && DeclaresVariable(i)) {
        Error(i, "threadgroup variables can be declared only in a kernel");
      }
    }
  }

  // From the name back to the end of what stands before the function.
  bool IsKernel(const FunctionDefinition& function) const {
    for (size_t i = function.name_at; i > 0 && !tokens_[i].Is(";") && !tokens_[i].Is("}"); --i) {
      if (tokens_[i].Is("kernel")) return true;
    }
    return false;
  }

  // `threadgroup T name[n];`, not `threadgroup T* name` or a cast.
  bool DeclaresVariable(size_t i) const {
    while (i < tokens_.size() && !tokens_[i].Is(";")) {
      if (tokens_[i].Is("*") || tokens_[i].Is("&") || tokens_[i].Is(")")) return false;
      ++i;
    }
    return true;
  }

  // constant T a = f(function constant): the emulation would compute it once, before any is set.
  void CheckDerivedConstants() {
    std::set<std::string_view> constants;
    int depth = 0;
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].Is("{")) ++depth;
      if (tokens_[i].Is("}")) --depth;
      if (depth > 0 || !tokens_[i].Is("constant")) continue;
      for (size_t k = i; k < tokens_.size() && !tokens_[k].Is(";") && !tokens_[k].Is("("); ++k) {
        if (tokens_[k].Is("function_constant")) {
          constants.insert(tokens_[Neighbour(tokens_, Neighbour(tokens_, k, -1), -1)].text);
        }
        if (constants.contains(tokens_[k].text) && !tokens_[k - 1].Is("[[") &&
            tokens_[Neighbour(tokens_, k)].text != "[[") {
          Error(k, StrCat("a value at file scope computed from function constant '",
                          tokens_[k].text, "': compute it in the kernel"));
        }
      }
    }
  }

  void CollectTypes() {
    types_.insert(std::begin(kScalars), std::end(kScalars));
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (IsVectorType(tokens_[i].text)) types_.insert(tokens_[i].text);
      if (!tokens_[i].Is("struct") && !tokens_[i].Is("typename") && !tokens_[i].Is("class")) {
        continue;
      }
      const Token* const name = At(Neighbour(tokens_, i));
      if (name != nullptr && name->kind == TokenKind::kIdentifier) types_.insert(name->text);
    }
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  const std::string_view level_;
  std::set<std::string_view> types_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

std::vector<Diagnostic> Lint(const Source& source, std::string_view level) {
  return Linter(source, level).Run();
}

}  // namespace infer::emulation
