// SPDX-License-Identifier: Apache-2.0
#include "frontends/tokenizer/word_cache.h"

#include <algorithm>
#include <cstring>

namespace infer {

std::array<uint64_t, 2> WordCache::Key(std::string_view word) {
  char bytes[16] = {};
  std::memcpy(bytes, word.data(), word.size());
  bytes[15] = static_cast<char>(word.size());
  std::array<uint64_t, 2> key;
  std::memcpy(key.data(), bytes, sizeof(key));
  return key;
}

size_t WordCache::Place(const std::array<uint64_t, 2>& key) {
  constexpr uint64_t kGolden = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio
  uint64_t mixed = (key[0] ^ (key[1] * kGolden)) * kGolden;
  mixed ^= mixed >> 32;
  return (mixed * kGolden) >> (64 - kEntryBits);
}

bool WordCache::Find(std::string_view word, std::vector<int32_t>* ids) const {
  if (entries_.empty() || word.empty() || word.size() > kMaxWordBytes) return false;
  std::array<uint64_t, 2> key = Key(word);
  const Entry& entry = entries_[Place(key)];
  if (entry.key != key) return false;
  ids->insert(ids->end(), entry.ids.begin(), entry.ids.begin() + entry.id_count);
  return true;
}

void WordCache::Store(std::string_view word, std::span<const int32_t> ids) {
  if (entries_.empty() || word.empty() || word.size() > kMaxWordBytes || ids.size() > kMaxIds) {
    return;
  }
  std::array<uint64_t, 2> key = Key(word);
  Entry& entry = entries_[Place(key)];
  entry.key = key;
  entry.id_count = static_cast<uint32_t>(ids.size());
  std::copy(ids.begin(), ids.end(), entry.ids.begin());
}

}  // namespace infer
