// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "frontends/tokenizer/vocabulary.h"

namespace infer {

// The part of a vocabulary that BPE needs, as ids: the token of each byte, and for two adjacent
// tokens the rank of their merge and the token they become. Immutable.
class MergeTable {
 public:
  static constexpr size_t kMaxMerges = size_t{4} << 20;

  struct Merge {
    uint32_t rank;  // lower ranks are merged first
    int32_t token;
  };

  // Fails if a byte has no token, or if a merge is malformed, given twice, or names a text that is
  // not a token.
  static absl::StatusOr<MergeTable> Create(const std::vector<std::string_view>& merges,
                                           const TokenIndex& index);

  int32_t token_of_byte(uint8_t byte) const { return byte_tokens_[byte]; }

  // Returns null if the two do not merge.
  const Merge* Find(int32_t left, int32_t right) const {
    auto it = merges_.find(Key(left, right));
    return it == merges_.end() ? nullptr : &it->second;
  }

  size_t memory_bytes() const;

 private:
  MergeTable() = default;
  absl::Status AddBytes(const TokenIndex& index);
  absl::Status AddMerge(size_t rank, std::string_view merge, const TokenIndex& index);
  static uint64_t Key(int32_t left, int32_t right) {
    return static_cast<uint64_t>(left) << 32 | static_cast<uint32_t>(right);
  }

  std::array<int32_t, 256> byte_tokens_ = {};
  // Abseil's hash is seeded per process, so a crafted file cannot make it degenerate.
  absl::flat_hash_map<uint64_t, Merge> merges_;
};

}  // namespace infer
