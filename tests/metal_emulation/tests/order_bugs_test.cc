// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of bugs/run/matrices.metal has one mistake that lockstep hides. Some order of
// threads must give a wrong result.
#include <gtest/gtest.h>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

constexpr size_t kThreads = 64;

float Input(size_t i) { return static_cast<float>(i % 7); }

float Product(size_t i) {
  float sum = 0;
  for (int round = 0; round < 2; ++round) {
    for (size_t k = 0; k < 8; ++k) {
      sum += (Input(i / 8 * 8 + k) + round) * (Input(k * 8 + i % 8) + round);
    }
  }
  return sum;
}

float Sum(size_t) {
  float sum = 0;
  for (size_t i = 0; i < kThreads; ++i) sum += 2 * Input(i) + 1;
  return sum;
}

bool IsRight(const std::string& kernel, const Settings& settings, float (*expected)(size_t)) {
  const ScopedSettings scoped(settings);
  MetalHarness metal;
  const auto pipeline = metal.Pipeline("tests/metal_emulation/bugs/run/matrices.metal", kernel);
  std::vector<float> input(kThreads);
  for (size_t i = 0; i < kThreads; ++i) input[i] = Input(i);
  const auto in = metal.BufferOf(input);
  const auto out = metal.Buffer(kThreads * sizeof(float));
  EXPECT_EQ(metal.Run(pipeline.get(), {{0, out.get()}, {1, in.get()}}, MTL::Size(1, 1, 1),
                      MTL::Size(kThreads, 1, 1)),
            "");
  const std::vector<float> found = Contents<float>(out);
  for (size_t i = 0; i < kThreads; ++i) {
    if (!(found[i] == expected(i))) return false;
  }
  return true;
}

void ExpectCaught(const std::string& kernel, float (*expected)(size_t)) {
  int wrong = 0;
  for (const Settings& settings : AllOrders()) wrong += !IsRight(kernel, settings, expected);
  EXPECT_GT(wrong, 0) << kernel;
  // The expectation itself is right: in lockstep nothing shows.
  EXPECT_TRUE(IsRight(kernel, Settings(), expected)) << kernel;
}

TEST(OrderBugs, AMissingSecondBarrierBetweenMatricesIsCaught) {
  ExpectCaught("no_second_barrier_of_matrices", Product);
}

TEST(OrderBugs, AMissingBarrierBetweenSumsIsCaught) {
  ExpectCaught("no_barrier_between_sums", Sum);
}

}  // namespace
}  // namespace infer::emulation
