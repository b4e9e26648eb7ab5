// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/split_rules.h"

#include "ir/base/strings.h"

namespace infer {
namespace {

// Llama 3's tokenizer.json has no normalizer and ignores merges for words of its vocabulary; the
// last two are names that older converters gave the same split.
constexpr SplitRules kRules[] = {
    {.pre = "qwen2", .max_digits = 1, .nfc = true, .whole_words = false, .add_bos = false},
    {.pre = "llama-bpe", .max_digits = 3, .nfc = false, .whole_words = true, .add_bos = true},
    {.pre = "llama3", .max_digits = 3, .nfc = false, .whole_words = true, .add_bos = true},
    {.pre = "llama-v3", .max_digits = 3, .nfc = false, .whole_words = true, .add_bos = true},
};

}  // namespace

const SplitRules* FindSplitRules(std::string_view pre) {
  for (const SplitRules& rules : kRules) {
    if (rules.pre == pre) return &rules;
  }
  return nullptr;
}

std::string KnownSplitRules() {
  std::string names;
  for (const SplitRules& rules : kRules) {
    StrAppend(&names, names.empty() ? "\"" : ", \"", rules.pre, "\"");
  }
  return names;
}

}  // namespace infer
