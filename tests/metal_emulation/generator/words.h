// SPDX-License-Identifier: Apache-2.0
//
// Words that are rewritten wherever they stand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/metal_emulation/generator/token.h"

namespace infer::emulation {

// An address space, a number, the name of a vector type before '('.
std::string TranslateWord(const std::vector<Token>& tokens, size_t at);

// A directive; in a macro's text, words are rewritten as elsewhere.
std::string TranslateDirective(std::string_view directive);

bool IsVectorType(std::string_view name);

}  // namespace infer::emulation
