// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// Returns the tokens of `text`, which is known to follow the tokens `before`, as far as the
// tokenizer gives the same ones whatever comes after it: where two tokens could merge with what
// follows, or with what came before, the model must choose. `before` need not be the whole text.
std::vector<int32_t> CanonicalTokens(const Tokenizer& tokenizer, std::span<const int32_t> before,
                                     std::string_view text);

}  // namespace infer
