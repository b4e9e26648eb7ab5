// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frontends/tokenizer/marked_text.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// Returns 240 texts that try to smuggle special tokens of the vocabulary into a prompt.
std::vector<std::string> ForgedTexts(const Tokenizer& tokenizer);

// Returns how often each special token is in the encoded text.
std::map<int32_t, int> SpecialCounts(const Tokenizer& tokenizer, const MarkedText& text);

}  // namespace infer
