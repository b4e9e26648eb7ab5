// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

template <class T>
void Fill(std::vector<std::byte>* bytes, const std::vector<T>& values) {
  ASSERT_EQ(bytes->size(), values.size() * sizeof(T));
  std::memcpy(bytes->data(), values.data(), bytes->size());
}

TEST(ScalarKvRead, FollowsBlockTablesOfAllSequences) {
  // Three blocks of two positions, one head of one: element = slot.
  TestCache cache(DType::kF32, 1, 1, 2, 3);
  Fill<float>(&cache.k, {0, 1, 2, 3, 4, 5});
  Fill<float>(&cache.v, {10, 11, 12, 13, 14, 15});
  const int32_t first[] = {2, 0};
  const int32_t second[] = {1};
  const BatchSequence sequences[] = {{.length = 3, .block_table = first},
                                     {.length = 1, .block_table = second}};
  Batch batch;
  batch.sequences = sequences;
  batch.block_positions = 2;
  auto out =
      KernelHarness(ScalarKernels(), "kv_read_f32_scalar").At({.s = 4}).In(&cache).In(&batch).Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(4, 5, 0, 2));
  EXPECT_THAT(out[1].floats(), ElementsAre(14, 15, 10, 12));
}

TEST(ScalarKvRead, PutsHeadsSideBySideAndWidensHalves) {
  // One block of two positions, two heads of two: [head][position][element].
  TestCache cache(DType::kF16, 2, 2, 2, 1);
  Fill<uint16_t>(&cache.k, {0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800});
  Fill<uint16_t>(&cache.v, {0xbc00, 0xc000, 0xc200, 0xc400, 0xc500, 0xc600, 0xc700, 0xc800});
  const int32_t table[] = {0};
  const BatchSequence sequences[] = {{.length = 2, .block_table = table}};
  Batch batch;
  batch.sequences = sequences;
  batch.block_positions = 2;
  auto out =
      KernelHarness(ScalarKernels(), "kv_read_f16_scalar").At({.s = 2}).In(&cache).In(&batch).Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2, 5, 6, 3, 4, 7, 8));
  EXPECT_THAT(out[1].floats(), ElementsAre(-1, -2, -5, -6, -3, -4, -7, -8));
}

}  // namespace
}  // namespace infer
