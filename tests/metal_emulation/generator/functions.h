// SPDX-License-Identifier: Apache-2.0
//
// Which functions a shader file defines and which names each of them mentions.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tests/metal_emulation/generator/source.h"

namespace infer::emulation {

struct FunctionDefinition {
  std::string_view name;
  size_t name_at;               // position of its token
  size_t body_begin, body_end;  // positions of its braces
  std::set<std::string_view> mentions;
};

std::vector<FunctionDefinition> FindFunctions(const std::vector<Token>& tokens);

// What `function` mentions, itself or in a function that it calls.
std::set<std::string_view> AllMentions(const std::vector<FunctionDefinition>& functions,
                                       std::string_view function);

// Functions that call themselves, directly or not. A name that several functions share is left
// out: one of them may call another.
std::vector<const FunctionDefinition*> RecursiveFunctions(
    const std::vector<FunctionDefinition>& functions);

}  // namespace infer::emulation
