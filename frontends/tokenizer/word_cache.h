// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace infer {

// Remembers the ids of short words: one slot per hash value, in which the newer word wins. Words
// repeat so often in text that this saves most of the merging (see README for figures).
class WordCache {
 public:
  explicit WordCache(bool enabled) : entries_(enabled ? kEntries : 0) {}

  // Appends the ids of `word` and returns true, or returns false.
  bool Find(std::string_view word, std::vector<int32_t>* ids) const;
  void Store(std::string_view word, std::span<const int32_t> ids);

 private:
  static constexpr size_t kEntryBits = 12;
  static constexpr size_t kEntries = size_t{1} << kEntryBits;
  static constexpr size_t kMaxWordBytes = 15;
  static constexpr size_t kMaxIds = 3;

  // 32 bytes, two per cache line; 128 KiB in total, which stays in a second-level cache.
  struct Entry {
    std::array<uint64_t, 2> key = {};  // the word, zero-padded, its length in the last byte
    uint32_t id_count = 0;
    std::array<int32_t, kMaxIds> ids = {};
  };

  static std::array<uint64_t, 2> Key(std::string_view word);
  static size_t Place(const std::array<uint64_t, 2>& key);

  std::vector<Entry> entries_;
};

}  // namespace infer
