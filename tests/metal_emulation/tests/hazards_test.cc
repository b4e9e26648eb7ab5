// SPDX-License-Identifier: Apache-2.0
//
// Order of commands: barriers, encoders, and what goes wrong without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/metal_emulation/tests/commands_fixture.h"

namespace infer::emulation {
namespace {

using ::testing::HasSubstr;

using Hazards = Commands;

TEST_F(Hazards, AConflictWithoutABarrierIsNamed) {
  for (const bool barrier : {false, true}) {
    MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
    MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
    Copy(encoder, a, b);
    if (barrier) encoder->memoryBarrier(MTL::BarrierScopeBuffers);
    Copy(encoder, b, c);
    encoder->endEncoding();
    EXPECT_EQ(MetalHarness::Finish(commands),
              barrier ? ""
                      : "conflict: 'out' of kernel 'copy' and 'in' of kernel 'copy' touch the same "
                        "bytes with no memoryBarrier between them");
  }
}

TEST_F(Hazards, TwoWritersConflictAndTwoReadersDoNot) {
  MTL::CommandBuffer* commands = metal.queue()->commandBuffer();
  MTL::ComputeCommandEncoder* encoder = Concurrent(commands);
  Copy(encoder, a, b);
  Copy(encoder, a, c);
  encoder->endEncoding();
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  commands = metal.queue()->commandBuffer();
  encoder = Concurrent(commands);
  Copy(encoder, a, b);
  Copy(encoder, c, b);
  encoder->endEncoding();
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("'out' of kernel 'copy' and 'out' of"));
}

// Values lie side by side in one buffer: the second begins where the first ends.
TEST_F(Hazards, PlacesOfOneBufferConflictOnlyWhereTheyOverlap) {
  for (const NS::UInteger count : {16, 17}) {
    MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
    MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
    Copy(encoder, a, b, 0, 0, count);
    Copy(encoder, a, b, 64, 0, 16);
    encoder->endEncoding();
    EXPECT_THAT(MetalHarness::Finish(commands),
                count == 16 ? HasSubstr("") : HasSubstr("'out' of kernel 'copy' and 'out' of"));
    EXPECT_EQ(commands->error() == nullptr, count == 16);
  }
}

// The read begins in the middle of what is written, so that no two bindings are the same.
TEST_F(Hazards, APartOfAValueThatIsStillBeingWrittenConflicts) {
  for (const Settings& settings : AllOrders()) {
    const ScopedSettings scoped(settings);
    for (const bool barrier : {false, true}) {
      MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
      MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
      Copy(encoder, a, b, 0, 0, 64);
      if (barrier) encoder->memoryBarrier(MTL::BarrierScopeBuffers);
      Copy(encoder, b, c, 0, 128);
      encoder->endEncoding();
      EXPECT_EQ(MetalHarness::Finish(commands),
                barrier ? ""
                        : "conflict: 'out' of kernel 'copy' and 'in' of kernel 'copy' touch the "
                          "same bytes with no memoryBarrier between them");
    }
  }
}

TEST_F(Hazards, ASerialEncoderNeedsNoBarriers) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder = commands->computeCommandEncoder();
  Copy(encoder, a, b);
  Copy(encoder, b, c);
  encoder->endEncoding();
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  EXPECT_EQ(Contents<float>(c)[0], 1.0f);
}

TEST_F(Hazards, UntrackedBuffersConflictFromEncoderToEncoder) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c)}) {
    MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
    Copy(encoder, from, to);
    encoder->endEncoding();
  }
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("untracked buffer in two encoders"));
}

TEST_F(Hazards, WaitingOrdersCommandBuffers) {
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c)}) {
    MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
    MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
    Copy(encoder, from, to);
    encoder->endEncoding();
    EXPECT_EQ(MetalHarness::Finish(commands), "");
  }
  EXPECT_EQ(Contents<float>(c)[0], 1.0f);
}

// What a conflict gives depends on the order.
TEST_F(Hazards, DispatchesWithoutABarrierRunInAnyOrder) {
  for (const Settings& settings : AllOrders()) {
    const ScopedSettings scoped(settings);
    const auto first = metal.BufferOf(std::vector<float>{1});
    const auto second = metal.BufferOf(std::vector<float>{2});
    MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
    MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
    // One thread of the first writes element 1, where the second is bound.
    Copy(encoder, a, b, 0, 0, 2);
    Copy(encoder, second, b, 4);
    encoder->endEncoding();
    EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("conflict"));
    if (settings.dispatch_order == Order::kShuffled) continue;
    EXPECT_EQ(Contents<float>(b)[1], settings.dispatch_order == Order::kForward ? 2.0f : 1.0f);
  }
}

}  // namespace
}  // namespace infer::emulation
