// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "frontends/grammar/token_mask.h"

namespace infer {

// The masks of one grammar and vocabulary by state, shared by all texts that follow the grammar.
// Thread-safe. Holds at most `limit_bytes`: masks that were not asked for while half of that was
// filled are dropped.
class MaskCache {
 public:
  using Key = std::vector<uint32_t>;  // GrammarMatcher::AppendKey

  struct Counts {
    int64_t found = 0;
    int64_t missed = 0;
    size_t bytes = 0;
  };

  // About 400 masks of 150,000 tokens.
  static constexpr size_t kUsualBytes = size_t{8} << 20;

  explicit MaskCache(size_t limit_bytes = kUsualBytes) : limit_bytes_(limit_bytes) {}

  // Returns null if the mask of this state is not here.
  std::shared_ptr<const TokenMask> Find(const Key& key);
  // If another text was quicker, its mask, which is the same, stays.
  void Insert(Key key, std::shared_ptr<const TokenMask> mask);

  Counts counts() const;

 private:
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  // Every mask is in one of two generations. Those that are found move to the newer one; when it is
  // full, the older one is dropped and the newer takes its place.
  struct Generation {
    absl::flat_hash_map<Key, std::shared_ptr<const TokenMask>, KeyHash> masks;
    size_t bytes = 0;
  };

  void Add(Key key, std::shared_ptr<const TokenMask> mask);

  const size_t limit_bytes_;
  mutable std::mutex mutex_;
  Generation newer_;
  Generation older_;
  int64_t found_ = 0;
  int64_t missed_ = 0;
};

}  // namespace infer
