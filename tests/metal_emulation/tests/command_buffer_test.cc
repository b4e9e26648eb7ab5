// SPDX-License-Identifier: Apache-2.0
//
// Committing, waiting, handlers, events, and what lives as long as they need it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/metal_emulation/tests/commands_fixture.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

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

TEST_F(Commands, AQueueHasAsManyCommandBuffersAsItWasMadeFor) {
  const Ref<MTL::CommandQueue> queue = NS::TransferPtr(metal.device()->newCommandQueue(2));
  for (int round = 0; round < 2; ++round) {  // those that are completed do not count
    MTL::CommandBuffer* const first = queue->commandBuffer();
    MTL::CommandBuffer* const second = queue->commandBuffer();
    first->commit();
    second->commit();
    second->waitUntilCompleted();
  }
  queue->commandBuffer();
  queue->commandBuffer();
  EXPECT_THAT(TakeProblems(), IsEmpty());
  queue->commandBuffer();
  EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("a Mac would wait here")));
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
