// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "frontends/tokenizer/vocabulary.h"

namespace infer {

// The normal tokens by the bytes that they stand for, for models that take a word which is a token
// without merging it. Immutable. A token of one byte is left out: merging gives the same.
class WholeWords {
 public:
  explicit WholeWords(const Vocabulary& vocabulary);
  WholeWords(WholeWords&&) = default;
  WholeWords& operator=(WholeWords&&) = default;

  std::optional<int32_t> Find(std::string_view word) const;
  size_t memory_bytes() const;

 private:
  std::vector<char> bytes_;  // of all tokens; the keys point into it
  absl::flat_hash_map<absl::string_view, int32_t> ids_;
};

}  // namespace infer
