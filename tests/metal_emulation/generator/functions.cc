// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/generator/functions.h"

#include <algorithm>

namespace infer::emulation {
namespace {

bool IsControl(std::string_view word) {
  return word == "if" || word == "for" || word == "while" || word == "switch" ||
         word == "decltype" || word == "sizeof" || word == "alignas" || word == "return";
}

// Whether the '{' at `at` begins what holds functions: a namespace or a struct.
bool OpensScope(const std::vector<Token>& tokens, size_t at) {
  for (size_t i = Neighbour(tokens, at, -1); i < tokens.size(); i = Neighbour(tokens, i, -1)) {
    if (tokens[i].Is("namespace") || tokens[i].Is("struct") || tokens[i].Is("union") ||
        tokens[i].Is("class")) {
      return true;
    }
    if (tokens[i].Is(";") || tokens[i].Is("}") || tokens[i].Is("{") || tokens[i].Is(")") ||
        tokens[i].kind == TokenKind::kDirective) {
      return false;
    }
  }
  return false;
}

// Position of the name of the function whose body begins at `at`, or tokens.size().
size_t NameOfBody(const std::vector<Token>& tokens, size_t at) {
  size_t i = Neighbour(tokens, at, -1);
  if (i < tokens.size() && tokens[i].Is("const")) i = Neighbour(tokens, i, -1);
  if (i >= tokens.size() || !tokens[i].Is(")")) return tokens.size();
  for (int depth = 0; i < tokens.size(); i = i == 0 ? tokens.size() : i - 1) {
    if (tokens[i].Is(")")) ++depth;
    if (tokens[i].Is("(") && --depth == 0) break;
  }
  const size_t name = Neighbour(tokens, i, -1);
  if (i >= tokens.size() || name >= tokens.size()) return tokens.size();
  const bool word = tokens[name].kind == TokenKind::kIdentifier && !IsControl(tokens[name].text);
  return word ? name : tokens.size();
}

const FunctionDefinition* Find(const std::vector<FunctionDefinition>& functions,
                               std::string_view name) {
  const auto found = std::ranges::find(functions, name, &FunctionDefinition::name);
  return found == functions.end() ? nullptr : &*found;
}

void Collect(const std::vector<FunctionDefinition>& functions, std::string_view name,
             std::set<std::string_view>& mentions, std::set<std::string_view>& seen) {
  if (!seen.insert(name).second) return;
  for (const FunctionDefinition& function : functions) {
    if (function.name != name) continue;
    for (const std::string_view word : function.mentions) {
      mentions.insert(word);
      Collect(functions, word, mentions, seen);
    }
  }
}

}  // namespace

std::vector<FunctionDefinition> FindFunctions(const std::vector<Token>& tokens) {
  std::vector<FunctionDefinition> functions;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens[i].Is("{") || OpensScope(tokens, i)) continue;
    const size_t end = Closing(tokens, i);
    if (const size_t name = NameOfBody(tokens, i); name < tokens.size()) {
      FunctionDefinition function{.name = tokens[name].text,
                                  .name_at = name,
                                  .body_begin = i,
                                  .body_end = end,
                                  .mentions = {}};
      for (size_t k = i; k < end; ++k) {
        if (tokens[k].kind == TokenKind::kIdentifier) function.mentions.insert(tokens[k].text);
      }
      functions.push_back(std::move(function));
    }
    i = end;
  }
  return functions;
}

std::set<std::string_view> AllMentions(const std::vector<FunctionDefinition>& functions,
                                       std::string_view function) {
  std::set<std::string_view> mentions;
  std::set<std::string_view> seen;
  Collect(functions, function, mentions, seen);
  return mentions;
}

std::vector<const FunctionDefinition*> RecursiveFunctions(
    const std::vector<FunctionDefinition>& functions) {
  std::vector<const FunctionDefinition*> recursive;
  for (const FunctionDefinition& function : functions) {
    if (std::ranges::count(functions, function.name, &FunctionDefinition::name) > 1) continue;
    if (Find(functions, function.name) != &function) continue;
    if (AllMentions(functions, function.name).contains(function.name)) {
      recursive.push_back(&function);
    }
  }
  return recursive;
}

}  // namespace infer::emulation
