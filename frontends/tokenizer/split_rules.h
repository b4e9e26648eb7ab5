// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace infer {

// How a model cuts text into words before it merges bytes, by the name of tokenizer.ggml.pre.
struct SplitRules {
  std::string_view pre;
  int max_digits = 1;        // digits of one word; see MakeScanningPretokenizer
  bool nfc = false;          // text is normalized first
  bool whole_words = false;  // a word that is a token is taken whole, whatever its merges give
  bool add_bos = false;      // where the file does not say
};

// Returns nullptr if the name is not known.
const SplitRules* FindSplitRules(std::string_view pre);

// Returns the names for a message: "qwen2", "llama-bpe", ...
std::string KnownSplitRules();

}  // namespace infer
