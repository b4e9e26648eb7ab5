// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontends/tokenizer/vocabulary.h"

namespace infer {

// Finds control and user-defined tokens in text: the leftmost, and among those that begin there the
// longest. The vocabulary is passed to each call and must be the one it was made from.
class SpecialTokens {
 public:
  struct Found {
    size_t begin;  // byte in the text
    size_t end;
    int32_t id;
  };

  explicit SpecialTokens(const Vocabulary& vocabulary);

  std::optional<Found> FindNext(const Vocabulary& vocabulary, std::string_view text,
                                size_t begin) const;

  // Returns the id of the special token with exactly this text.
  std::optional<int32_t> IdOf(const Vocabulary& vocabulary, std::string_view text) const;

  size_t memory_bytes() const { return sorted_.capacity() * sizeof(sorted_[0]); }

 private:
  std::optional<Found> LongestAt(const Vocabulary& vocabulary, std::string_view text,
                                 size_t begin) const;

  std::vector<int32_t> sorted_;  // by text
  std::array<bool, 256> is_first_byte_ = {};
};

}  // namespace infer
