// SPDX-License-Identifier: Apache-2.0
//
// Order of commands: barriers, encoders, waiting, and what goes wrong without them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kShader[] = "tests/metal_emulation/bugs/run/host.metal";
const MTL::Size kOne(1, 1, 1);

class Commands : public ::testing::Test {
 protected:
  void Copy(MTL::ComputeCommandEncoder* encoder, const Ref<MTL::Buffer>& from,
            const Ref<MTL::Buffer>& to, NS::UInteger to_offset = 0, NS::UInteger from_offset = 0,
            NS::UInteger count = 1) {
    encoder->setComputePipelineState(copy.get());
    encoder->setBuffer(to.get(), to_offset, 0);
    encoder->setBuffer(from.get(), from_offset, 1);
    encoder->dispatchThreadgroups(MTL::Size(count, 1, 1), kOne);
  }
  static MTL::ComputeCommandEncoder* Concurrent(MTL::CommandBuffer* commands) {
    return commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
  }

  MetalHarness metal;
  Ref<MTL::ComputePipelineState> copy = metal.Pipeline(kShader, "copy");
  Ref<MTL::Buffer> a = metal.BufferOf(std::vector<float>(64, 1.0f));
  Ref<MTL::Buffer> b = metal.Buffer(256);
  Ref<MTL::Buffer> c = metal.Buffer(256);
};

TEST_F(Commands, AConflictWithoutABarrierIsNamed) {
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

TEST_F(Commands, TwoWritersConflictAndTwoReadersDoNot) {
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
TEST_F(Commands, PlacesOfOneBufferConflictOnlyWhereTheyOverlap) {
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
TEST_F(Commands, APartOfAValueThatIsStillBeingWrittenConflicts) {
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

TEST_F(Commands, ASerialEncoderNeedsNoBarriers) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder = commands->computeCommandEncoder();
  Copy(encoder, a, b);
  Copy(encoder, b, c);
  encoder->endEncoding();
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  EXPECT_EQ(Contents<float>(c)[0], 1.0f);
}

TEST_F(Commands, UntrackedBuffersConflictFromEncoderToEncoder) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  for (const auto& [from, to] : {std::pair(a, b), std::pair(b, c)}) {
    MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
    Copy(encoder, from, to);
    encoder->endEncoding();
  }
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("untracked buffer in two encoders"));
}

TEST_F(Commands, WaitingOrdersCommandBuffers) {
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
TEST_F(Commands, DispatchesWithoutABarrierRunInAnyOrder) {
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

TEST_F(Commands, ResultsAreThereOnlyAfterWaiting) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
  Copy(encoder, a, b);
  encoder->endEncoding();
  commands->commit();
  EXPECT_TRUE(std::isnan(Contents<float>(b)[0]));
  commands->waitUntilCompleted();
  EXPECT_EQ(Contents<float>(b)[0], 1.0f);
  EXPECT_EQ(commands->status(), MTL::CommandBufferStatusCompleted);
  EXPECT_EQ(commands->error(), nullptr);
  EXPECT_LE(commands->GPUStartTime(), commands->GPUEndTime());
}

TEST_F(Commands, WaitingForOneRunsThoseBefore) {
  std::vector<MTL::CommandBuffer*> all;
  for (const auto& to : {b, c}) {
    all.push_back(metal.queue()->commandBuffer());
    MTL::ComputeCommandEncoder* const encoder = Concurrent(all.back());
    Copy(encoder, a, to);
    encoder->endEncoding();
    all.back()->commit();
  }
  all[1]->waitUntilCompleted();
  EXPECT_EQ(Contents<float>(b)[0], 1.0f);
}

TEST_F(Commands, CommitWithoutEndEncodingFails) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  Copy(Concurrent(commands), a, b);
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("commit without endEncoding"));
}

TEST_F(Commands, ASecondCommitIsReported) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  commands->commit();
  commands->commit();
  EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("is committed already")));
  commands->waitUntilCompleted();
}

TEST_F(Commands, WaitingBeforeCommitIsReported) {
  metal.queue()->commandBuffer()->waitUntilCompleted();
  EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("would wait for ever")));
}

TEST_F(Commands, TheNthCommitFailsWhenATestAsksForIt) {
  Settings settings;
  settings.failing_commit = 2;
  settings.failing_commit_text = "Insufficient Memory";
  const ScopedSettings scoped(settings);
  EXPECT_EQ(MetalHarness::Finish(metal.queue()->commandBuffer()), "");
  EXPECT_EQ(MetalHarness::Finish(metal.queue()->commandBuffer()), "Insufficient Memory");
  EXPECT_EQ(MetalHarness::Finish(metal.queue()->commandBuffer()), "");
}

TEST_F(Commands, HandlersSeeTheResult) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  MTL::CommandBufferStatus seen = MTL::CommandBufferStatusNotEnqueued;
  commands->addCompletedHandler([&](MTL::CommandBuffer* done) { seen = done->status(); });
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  EXPECT_EQ(seen, MTL::CommandBufferStatusCompleted);
}

TEST_F(Commands, EventsCarryValues) {
  const Ref<MTL::SharedEvent> event = NS::TransferPtr(metal.device()->newSharedEvent());
  MTL::CommandBuffer* commands = metal.queue()->commandBuffer();
  commands->encodeSignalEvent(event.get(), 7);
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  EXPECT_EQ(event->signaledValue(), 7u);
  commands = metal.queue()->commandBuffer();
  commands->encodeWait(event.get(), 8);
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("waits for event value 8"));
}

TEST_F(Commands, UnretainedBuffersMustLiveUntilTheyAreUsed) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBufferWithUnretainedReferences();
  Ref<MTL::Buffer> lost =
      NS::TransferPtr(metal.device()->newBuffer(64, MTL::ResourceStorageModeShared));
  MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
  Copy(encoder, lost, b);
  encoder->endEncoding();
  lost.reset();
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("buffer(1) 'in' was released before"));
}

TEST_F(Commands, RetainedBuffersLiveUntilTheyAreUsed) {
  const size_t before = LiveObjects();
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  Ref<MTL::Buffer> lost =
      NS::TransferPtr(metal.device()->newBuffer(64, MTL::ResourceStorageModeShared));
  MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
  Copy(encoder, lost, b);
  encoder->useResource(lost.get(), MTL::ResourceUsageRead);
  encoder->endEncoding();
  lost.reset();
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  EXPECT_EQ(LiveObjects(), before + 2);  // the command buffer and the encoder, in the pool
}

TEST_F(Commands, AFailureSkipsTheRest) {
  Settings settings;
  const ScopedSettings scoped(settings);
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  MTL::ComputeCommandEncoder* const encoder = Concurrent(commands);
  Copy(encoder, a, b);
  encoder->memoryBarrier(MTL::BarrierScopeBuffers);
  encoder->setComputePipelineState(copy.get());
  encoder->setBuffer(c.get(), 0, 0);
  encoder->setBuffer(a.get(), 0, 1);
  encoder->dispatchThreadgroups(MTL::Size(1 << 16, 1, 1), kOne);  // far beyond the end
  encoder->endEncoding();
  EXPECT_THAT(MetalHarness::Finish(commands), HasSubstr("out-of-bounds access"));
  EXPECT_THAT(TakeProblems(), IsEmpty());
}

}  // namespace
}  // namespace infer::emulation
