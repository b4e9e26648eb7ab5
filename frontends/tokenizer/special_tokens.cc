// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/special_tokens.h"

#include <algorithm>

namespace infer {

SpecialTokens::SpecialTokens(const Vocabulary& vocabulary) {
  for (int32_t id = 0; id < vocabulary.token_count(); ++id) {
    if (!vocabulary.is_special(id)) continue;
    sorted_.push_back(id);
    is_first_byte_[static_cast<uint8_t>(vocabulary.text(id)[0])] = true;
  }
  std::sort(sorted_.begin(), sorted_.end(),
            [&](int32_t a, int32_t b) { return vocabulary.text(a) < vocabulary.text(b); });
}

std::optional<SpecialTokens::Found> SpecialTokens::FindNext(const Vocabulary& vocabulary,
                                                            std::string_view text,
                                                            size_t begin) const {
  if (sorted_.empty()) return std::nullopt;
  for (size_t pos = begin; pos < text.size(); ++pos) {
    if (!is_first_byte_[static_cast<uint8_t>(text[pos])]) continue;
    if (std::optional<Found> found = LongestAt(vocabulary, text, pos)) return found;
  }
  return std::nullopt;
}

// Narrows the sorted tokens, byte by byte, to those that agree with the text so far. A token that
// ends at a depth sorts before all longer ones, so it is the first of its range.
std::optional<SpecialTokens::Found> SpecialTokens::LongestAt(const Vocabulary& vocabulary,
                                                             std::string_view text,
                                                             size_t begin) const {
  std::optional<Found> best;
  auto low = sorted_.begin();
  auto high = sorted_.end();
  for (size_t depth = 0; begin + depth < text.size() && low != high; ++depth) {
    auto byte = static_cast<uint8_t>(text[begin + depth]);
    auto byte_of = [&](int32_t id) { return static_cast<uint8_t>(vocabulary.text(id)[depth]); };
    low = std::partition_point(low, high, [&](int32_t id) { return byte_of(id) < byte; });
    high = std::partition_point(low, high, [&](int32_t id) { return byte_of(id) == byte; });
    if (low != high && vocabulary.text(*low).size() == depth + 1) {
      best = Found{begin, begin + depth + 1, *low};
      ++low;
    }
  }
  return best;
}

std::optional<int32_t> SpecialTokens::IdOf(const Vocabulary& vocabulary,
                                           std::string_view text) const {
  auto it =
      std::lower_bound(sorted_.begin(), sorted_.end(), text,
                       [&](int32_t id, std::string_view t) { return vocabulary.text(id) < t; });
  if (it == sorted_.end() || vocabulary.text(*it) != text) return std::nullopt;
  return *it;
}

}  // namespace infer
