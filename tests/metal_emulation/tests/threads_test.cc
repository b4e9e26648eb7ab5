// SPDX-License-Identifier: Apache-2.0
//
// Threads that use one device and one queue, each with command buffers of its own. Under
// ThreadSanitizer a lock that is missing in the device is a failure here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

constexpr char kThreadsShader[] = "tests/metal_emulation/bugs/run/host.metal";
constexpr int kRounds = 30;

// Copies its own number through a new buffer in every round. The error, or empty.
std::string CopyManyTimes(MetalHarness& metal, MTL::ComputePipelineState* pipeline, float number) {
  for (int round = 0; round < kRounds; ++round) {
    NS::AutoreleasePool* const pool = NS::AutoreleasePool::alloc()->init();
    const float value = number + static_cast<float>(round);
    const Ref<MTL::Buffer> in = metal.BufferOf(std::vector<float>(64, value));
    const Ref<MTL::Buffer> out = metal.Buffer(256);
    std::string error = metal.Run(pipeline, {{0, out.get()}, {1, in.get()}}, MTL::Size(1, 1, 1),
                                  MTL::Size(64, 1, 1));
    if (error.empty() && Contents<float>(out) != std::vector<float>(64, value)) {
      error = "a wrong number";
    }
    metal.residency()->removeAllocation(in.get());
    metal.residency()->removeAllocation(out.get());
    pool->release();
    if (!error.empty()) return error;
  }
  return "";
}

TEST(Threads, EachHasItsOwnCommandBuffersOnOneQueue) {
  MetalHarness metal;
  const auto pipeline = metal.Pipeline(kThreadsShader, "copy");
  const Counters before = counters();
  std::vector<std::string> errors(3);
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < errors.size(); ++i) {
      threads.emplace_back([&, i] {
        errors[i] = CopyManyTimes(metal, pipeline.get(), 100.0f * static_cast<float>(i));
      });
    }
  }
  EXPECT_THAT(errors, ::testing::Each(""));
  EXPECT_EQ(counters().dispatches - before.dispatches, errors.size() * kRounds);
  EXPECT_THAT(TakeProblems(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace infer::emulation
