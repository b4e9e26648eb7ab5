// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "backends/scalar/kernels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/kernel_harness.h"

namespace infer {
namespace {

using ::testing::ElementsAre;

constexpr float kHidden = -INFINITY;

TEST(ScalarAttnMask, HidesLaterPositions) {
  const int32_t seq[] = {0, 0};
  const int32_t pos[] = {1, 2};
  const BatchSequence sequences[] = {
      {.first_token = 0, .count = 2, .length = 3, .block_table = {}}};
  Batch batch;
  batch.token_seq = seq;
  batch.token_pos = pos;
  batch.sequences = sequences;
  auto out = KernelHarness(ScalarKernels(), "attn_mask_f32_scalar")
                 .In(F32Tensor({Symbol::kT, Symbol::kS}, {1, 2, 3, 4, 5, 6}))
                 .In(&batch)
                 .At({2, 1, 3})
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2, kHidden, 4, 5, 6));
}

TEST(ScalarAttnMask, HidesOtherSequences) {
  const int32_t seq[] = {0, 1, 1};
  const int32_t pos[] = {1, 0, 1};
  const BatchSequence sequences[] = {
      {.first_token = 0, .count = 1, .length = 2, .block_table = {}},
      {.first_token = 1, .count = 2, .length = 2, .block_table = {}}};
  Batch batch;
  batch.token_seq = seq;
  batch.token_pos = pos;
  batch.sequences = sequences;
  auto out = KernelHarness(ScalarKernels(), "attn_mask_f32_scalar")
                 .In(F32Tensor({Symbol::kT, Symbol::kS}, {1, 2, 3, 4, 5, 6, 7, 8, 9, NAN, 11, NAN}))
                 .In(&batch)
                 .At({3, 1, 4})
                 .Run();
  EXPECT_THAT(out[0].floats(), ElementsAre(1, 2, kHidden, kHidden,        //
                                           kHidden, kHidden, 7, kHidden,  //
                                           kHidden, kHidden, 11, ::testing::IsNan()));
}

}  // namespace
}  // namespace infer
