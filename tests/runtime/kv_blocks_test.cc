// SPDX-License-Identifier: Apache-2.0
#include "runtime/kv_blocks.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "runtime/metrics.h"

namespace infer {
namespace {

const std::vector<KvLayer> kLayers = {{.kv_heads = 2, .head_dim = 3},
                                      {.kv_heads = 1, .head_dim = 5}};

KvBlocks Make(int64_t blocks, int64_t block_positions) {
  absl::StatusOr<KvBlocks> result = KvBlocks::Create(kLayers, DType::kF16, blocks, block_positions);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

TEST(KvBlocks, PartsAreRoundedUpToCacheLines) {
  // Layer 0: 7 positions of 6 halves, 84 bytes; layer 1: 70 bytes; K and V of both: 128 each.
  EXPECT_EQ(*KvBlocks::PredictBytes(kLayers, DType::kF16, 7, 1), 4u * 128);
  EXPECT_EQ(Make(7, 1).bytes(), 4u * 128);
}

TEST(KvBlocks, TooManyBytesToCountIsAnError) {
  const std::vector<KvLayer> huge(1000, {.kv_heads = 1 << 20, .head_dim = 1 << 20});
  for (const int64_t blocks : {int64_t{1} << 20, std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(KvBlocks::PredictBytes(huge, DType::kF32, blocks, 1000).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
}

TEST(KvBlocks, ABlockIsFreeAfterItsLastUser) {
  KvBlocks blocks = Make(2, 4);
  const int32_t block = blocks.Take();
  blocks.Share(block);
  EXPECT_TRUE(blocks.shared(block));
  blocks.Drop(block);
  EXPECT_FALSE(blocks.shared(block));
  EXPECT_EQ(blocks.num_free(), 1);
  blocks.Drop(block);
  EXPECT_EQ(blocks.num_free(), 2);
}

TEST(KvBlocks, CopiesTheWantedPositionsOfEveryHead) {
  KvBlocks blocks = Make(2, 4);
  const int32_t block = blocks.Take();
  std::memset(blocks.view(0).k, 0x11, blocks.bytes());
  blocks.Expose(block, 4);
  // The other block was written over too, by this test alone: make it clean.
  const int32_t other = blocks.Take();
  blocks.Expose(other, 4);
  blocks.Drop(other);
  const int32_t copy = blocks.TakeCopy(block, 3);
  for (int32_t layer = 0; layer < blocks.num_layers(); ++layer) {
    const KvView& view = blocks.view(layer);
    for (int32_t head = 0; head < view.kv_heads; ++head) {
      for (int32_t position = 0; position < 4; ++position) {
        const size_t at = view.Index(copy * 4 + position, head) * 2;
        const std::byte expected{static_cast<unsigned char>(position < 3 ? 0x11 : 0)};
        for (int32_t i = 0; i < view.head_dim * 2; ++i) {
          ASSERT_EQ(view.k[at + i], expected) << layer << " " << head << " " << position;
          ASSERT_EQ(view.v[at + i], expected) << layer << " " << head << " " << position;
        }
      }
    }
  }
}

TEST(KvBlocks, UnwrittenPagesCostNothing) {
  const std::vector<KvLayer> layers(4, {.kv_heads = 8, .head_dim = 128});
  const uint64_t before = PeakMemoryBytes();
  absl::StatusOr<KvBlocks> blocks = KvBlocks::Create(layers, DType::kF16, 1, 65536);  // 1 GiB
  ASSERT_TRUE(blocks.ok()) << blocks.status();
  const int32_t block = blocks->Take();
  blocks->Expose(block, 10);
  blocks->Drop(block);
  EXPECT_LT(PeakMemoryBytes(), before + (uint64_t{64} << 20));
}

}  // namespace
}  // namespace infer
