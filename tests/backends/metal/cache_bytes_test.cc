// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/cache_bytes.h"

#include <vector>

#include "gtest/gtest.h"

namespace infer::metal {
namespace {

constexpr KvView kHalf = {
    .dtype = DType::kF16, .kv_heads = 2, .head_dim = 64, .block_positions = 16};
constexpr KvView kBlocks = {
    .dtype = DType::kQ8_0, .kv_heads = 2, .head_dim = 64, .block_positions = 16};

TEST(CacheBytes, FollowTheType) {
  EXPECT_EQ(CacheBytes(kHalf, 3), 3u * 2 * 16 * 128);
  EXPECT_EQ(CacheBytes(kBlocks, 3), 3u * 2 * 16 * 68);
}

TEST(CacheBytes, WrittenToTheLastSlot) {
  const std::vector<int32_t> slots = {70, 31};
  Batch batch;
  batch.token_slot = slots;
  EXPECT_EQ(WrittenCacheBytes(kHalf, batch), CacheBytes(kHalf, 5));
  EXPECT_EQ(WrittenCacheBytes(kHalf, Batch()), 0u);
}

// A table may have room for more positions than the sequence has.
TEST(CacheBytes, VisibleToTheLastBlockInUse) {
  const std::vector<int32_t> table = {4, 1, 9};
  const std::vector<BatchSequence> sequences = {
      {.first_token = 0, .count = 1, .length = 32, .block_table = table}};
  Batch batch;
  batch.sequences = sequences;
  EXPECT_EQ(VisibleCacheBytes(kHalf, batch), CacheBytes(kHalf, 5));
}

}  // namespace
}  // namespace infer::metal
