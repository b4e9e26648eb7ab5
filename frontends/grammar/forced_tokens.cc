// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/forced_tokens.h"

#include <algorithm>
#include <string>

#include "absl/status/statusor.h"

namespace infer {
namespace {

// One of each kind of character that the split into words tells apart, alone and in pairs that can
// join a word of punctuation.
constexpr std::string_view kContinuations[] = {
    "",    "a", "Z", "1", " ", "  ", " a", "\n", "\t",       "\"",          "\",",
    "\":", ",", ":", "}", "]", ".",  "_",  "\\", "\xC3\xA9", "\xE4\xB8\xAD"};

}  // namespace

std::vector<int32_t> CanonicalTokens(const Tokenizer& tokenizer, std::span<const int32_t> before,
                                     std::string_view text) {
  std::string front;
  for (const int32_t id : before) tokenizer.AppendTokenBytes(id, {}, &front);
  std::vector<int32_t> common;
  for (const std::string_view continuation : kContinuations) {
    std::string whole = front;
    whole += text;
    whole += continuation;
    const absl::StatusOr<std::vector<int32_t>> ids =
        tokenizer.Encode(whole, {.parse_special = false, .add_bos = false});
    if (!ids.ok() || ids->size() < before.size() ||
        !std::equal(before.begin(), before.end(), ids->begin())) {
      return {};
    }
    const std::vector<int32_t> after(ids->begin() + static_cast<std::ptrdiff_t>(before.size()),
                                     ids->end());
    if (continuation.empty()) {
      common = after;
    } else {
      const auto end = std::ranges::mismatch(common, after).in1;
      common.erase(end, common.end());
    }
    if (common.empty()) return {};
  }
  // Normalization and special tokens change a text: what is kept must spell it.
  std::string spelled;
  for (size_t i = 0; i < common.size(); ++i) {
    const bool is_special = tokenizer.vocabulary().is_special(common[i]);
    tokenizer.AppendTokenBytes(common[i], {}, &spelled);
    if (is_special || !text.starts_with(spelled)) {
      common.resize(i);
      break;
    }
  }
  return common;
}

}  // namespace infer
