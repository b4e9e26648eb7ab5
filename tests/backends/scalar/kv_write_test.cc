// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>
#include <vector>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

TEST(ScalarKvWrite, PutsEachHeadAtTheTokensSlot) {
  // Two blocks of two positions, two heads of two: [block][head][position][element].
  TestCache cache(DType::kF32, 2, 2, 2, 2);
  cache.k.assign(cache.k.size(), std::byte{0});
  cache.v = cache.k;
  const int32_t slots[] = {3, 0};
  Batch batch;
  batch.token_slot = slots;
  batch.block_positions = 2;
  KernelHarness(ScalarKernels(), "kv_write_f32_scalar")
      .In(&cache)
      .In(F32Tensor({Symbol::kT, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .In(F32Tensor({Symbol::kT, 4}, {10, 20, 30, 40, 50, 60, 70, 80}))
      .In(&batch)
      .At({2, 1, 2})
      .Run();
  TestTensor k = {ValueType::F32({16}), cache.k};
  TestTensor v = {ValueType::F32({16}), cache.v};
  EXPECT_THAT(k.floats(), ElementsAre(5, 6, 0, 0, 7, 8, 0, 0, 0, 0, 1, 2, 0, 0, 3, 4));
  EXPECT_THAT(v.floats(), ElementsAre(50, 60, 0, 0, 70, 80, 0, 0, 0, 0, 10, 20, 0, 0, 30, 40));
}

TEST(ScalarKvWrite, RoundsToHalvesAndTouchesNothingElse) {
  TestCache cache(DType::kF16, 1, 2, 4, 1);
  const int32_t slots[] = {2};
  Batch batch;
  batch.token_slot = slots;
  batch.block_positions = 4;
  KernelHarness(ScalarKernels(), "kv_write_f16_scalar")
      .In(&cache)
      .In(F32Tensor({Symbol::kT, 2}, {1.0f, 1e6f}))
      .In(F32Tensor({Symbol::kT, 2}, {-2.0f, 1.00048828125f}))  // the second is a tie: to even
      .In(&batch)
      .At({1, 1, 1})
      .Run();
  uint16_t k[8];
  uint16_t v[8];
  std::memcpy(k, cache.k.data(), sizeof(k));
  std::memcpy(v, cache.v.data(), sizeof(v));
  EXPECT_THAT(k, ElementsAre(0xa5a5, 0xa5a5, 0xa5a5, 0xa5a5, 0x3c00, 0x7c00, 0xa5a5, 0xa5a5));
  EXPECT_THAT(v, ElementsAre(0xa5a5, 0xa5a5, 0xa5a5, 0xa5a5, 0xc000, 0x3c00, 0xa5a5, 0xa5a5));
}

TEST(ScalarKvWrite, Q8_0ScalesTheLargestTo127WithTiesToEven) {
  TestCache cache(DType::kQ8_0, 1, 32, 2, 1);
  const int32_t slots[] = {1};
  Batch batch;
  batch.token_slot = slots;
  batch.block_positions = 2;
  std::vector<float> k(32, 0.0f), v(32, 0.0f);
  k[0] = 127.0f;  // scale 1
  k[1] = -2.5f;
  k[2] = 3.5f;
  v[31] = std::numeric_limits<float>::infinity();
  KernelHarness(ScalarKernels(), "kv_write_q8_0_scalar")
      .In(&cache)
      .In(F32Tensor({Symbol::kT, 32}, k))
      .In(F32Tensor({Symbol::kT, 32}, v))
      .In(&batch)
      .At({1, 1, 1})
      .Run();
  ASSERT_EQ(cache.k.size(), 2 * 34u);
  int8_t bytes[34];
  std::memcpy(bytes, cache.k.data() + 34, sizeof(bytes));
  EXPECT_EQ(bytes[1], 0x3c);  // 1 as a half, its low byte first
  EXPECT_EQ(bytes[2], 127);
  EXPECT_EQ(bytes[3], -2);
  EXPECT_EQ(bytes[4], 4);
  EXPECT_EQ(cache.k[0], std::byte{0xa5}) << "position 0 is another token's";
  std::memcpy(bytes, cache.v.data() + 34, sizeof(bytes));
  EXPECT_EQ(bytes[1], 0x7e) << "a block with what is no number reads as NaN";
}

}  // namespace
}  // namespace infer
