// SPDX-License-Identifier: Apache-2.0
//
// Mistakes of a host in what it encodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <functional>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kEncoderShader[] = "tests/metal_emulation/bugs/run/host.metal";
const MTL::Size kOne(1, 1, 1);

struct Args {
  uint32_t count, factor;
};

class Encoder : public ::testing::Test {
 protected:
  // The error after `encode` has been given an encoder.
  std::string Encode(const std::function<void(MTL::ComputeCommandEncoder*)>& encode) {
    MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
    MTL::ComputeCommandEncoder* const encoder =
        commands->computeCommandEncoder(MTL::DispatchTypeConcurrent);
    encode(encoder);
    encoder->endEncoding();
    return MetalHarness::Finish(commands);
  }
  std::string Run(const char* kernel, std::initializer_list<BindingArgument> arguments,
                  MTL::Size threads = kOne, size_t threadgroup_bytes = 0) {
    return metal.Run(metal.Pipeline(kEncoderShader, kernel).get(), arguments, kOne, threads,
                     threadgroup_bytes);
  }

  MetalHarness metal;
  Ref<MTL::Buffer> in = metal.BufferOf(std::vector<float>(64, 2.0f));
  Ref<MTL::Buffer> out = metal.Buffer(64 * sizeof(float));
};

TEST_F(Encoder, CorrectCallsWork) {
  EXPECT_EQ(
      Run("scale", {{0, out.get()}, {1, in.get()}, {.index = 2, .bytes = BytesOf(Args{64, 3})}},
          MTL::Size(64, 1, 1)),
      "");
  EXPECT_EQ(Contents<float>(out), std::vector<float>(64, 6.0f));
}

TEST_F(Encoder, AnUnboundBufferIsNamed) {
  EXPECT_EQ(Run("copy", {{0, out.get()}}), "kernel 'copy': buffer(1) 'in' is not bound");
}

TEST_F(Encoder, ABindingStaysForTheNextDispatch) {
  const auto pipeline = metal.Pipeline(kEncoderShader, "copy");
  EXPECT_EQ(Encode([&](MTL::ComputeCommandEncoder* encoder) {
              encoder->setComputePipelineState(pipeline.get());
              encoder->setBuffer(out.get(), 0, 0);
              encoder->setBuffer(in.get(), 0, 1);
              encoder->dispatchThreadgroups(kOne, kOne);
              encoder->setBufferOffset(128, 0);
              encoder->dispatchThreadgroups(kOne, kOne);
            }),
            "");
  EXPECT_EQ(Contents<float>(out)[0], 2.0f);
  EXPECT_EQ(Contents<float>(out)[32], 2.0f);
}

TEST_F(Encoder, ADispatchNeedsAPipeline) {
  EXPECT_EQ(Encode([](auto* encoder) { encoder->dispatchThreadgroups(kOne, kOne); }),
            "a dispatch without a pipeline");
}

TEST_F(Encoder, ABufferMustBeResident) {
  const Ref<MTL::Buffer> lost =
      NS::TransferPtr(metal.device()->newBuffer(256, MTL::ResourceStorageModeShared));
  const std::string expected =
      "kernel 'copy': buffer(1) 'in' is in no committed residency set of the queue";
  EXPECT_EQ(Run("copy", {{0, out.get()}, {1, lost.get()}}), expected);
  // Adding it is not enough: the set must be committed.
  metal.residency()->addAllocation(lost.get());
  EXPECT_EQ(Run("copy", {{0, out.get()}, {1, lost.get()}}), expected);
  metal.residency()->commit();
  EXPECT_EQ(Run("copy", {{0, out.get()}, {1, lost.get()}}), "");
  metal.queue()->removeResidencySet(metal.residency());
  EXPECT_THAT(Run("copy", {{0, out.get()}, {1, lost.get()}}), HasSubstr("residency set"));
}

TEST_F(Encoder, ACommandBufferTakes32ResidencySets) {
  std::vector<Ref<MTL::ResidencySet>> sets;
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  for (int i = 0; i < 33; ++i) {
    sets.push_back(metal.NewResidencySet());
    commands->useResidencySet(sets.back().get());
  }
  EXPECT_EQ(MetalHarness::Finish(commands),
            "useResidencySet: a command buffer takes at most 32 sets");
}

TEST_F(Encoder, UseResourceMakesABufferResident) {
  const Ref<MTL::Buffer> other =
      NS::TransferPtr(metal.device()->newBuffer(256, MTL::ResourceStorageModeShared));
  const auto pipeline = metal.Pipeline(kEncoderShader, "copy");
  EXPECT_EQ(Encode([&](MTL::ComputeCommandEncoder* encoder) {
              encoder->setComputePipelineState(pipeline.get());
              encoder->setBuffer(out.get(), 0, 0);
              encoder->setBuffer(other.get(), 0, 1);
              encoder->useResource(other.get(), MTL::ResourceUsageRead);
              encoder->dispatchThreadgroups(kOne, kOne);
            }),
            "");
}

TEST_F(Encoder, AGroupHasAtMostThePipelinesThreads) {
  EXPECT_THAT(Run("copy", {{0, out.get()}, {1, in.get()}}, MTL::Size(32, 33, 1)),
              HasSubstr("a group of 1056 threads; the pipeline allows 1024"));
  EXPECT_THAT(Run("small_groups", {{0, out.get()}}, MTL::Size(65, 1, 1)),
              HasSubstr("a group of 65 threads; the pipeline allows 64"));
  Settings settings;
  settings.max_threads["copy"] = 512;
  const ScopedSettings scoped(settings);
  EXPECT_EQ(metal.Pipeline(kEncoderShader, "copy")->maxTotalThreadsPerThreadgroup(), 512u);
  EXPECT_EQ(metal.Pipeline(kEncoderShader, "small_groups")->maxTotalThreadsPerThreadgroup(), 64u);
  EXPECT_THAT(Run("copy", {{0, out.get()}, {1, in.get()}}, MTL::Size(513, 1, 1)),
              HasSubstr("a group of 513 threads; the pipeline allows 512"));
  EXPECT_THAT(Run("copy", {{0, out.get()}, {1, in.get()}}, MTL::Size(0, 1, 1)),
              HasSubstr("a dispatch of no threads"));
}

TEST_F(Encoder, ThreadgroupMemoryNeedsALength) {
  const std::initializer_list<BindingArgument> arguments = {{0, out.get()}, {1, in.get()}};
  EXPECT_THAT(Run("sum_of_group", arguments, MTL::Size(64, 1, 1)),
              HasSubstr("threadgroup(0) 'sums' has no length"));
  EXPECT_THAT(Run("sum_of_group", arguments, MTL::Size(64, 1, 1), 32768 + 16),
              HasSubstr("at most 32768"));
  EXPECT_THAT(Run("sum_of_group", arguments, MTL::Size(64, 1, 1), 8),
              HasSubstr("must be a multiple of 16"));
  EXPECT_EQ(Run("sum_of_group", arguments, MTL::Size(64, 1, 1), 16), "");
  EXPECT_EQ(Contents<float>(out)[0], 128.0f);
}

TEST_F(Encoder, AnArgumentStructMustBeWhole) {
  EXPECT_THAT(
      Run("scale", {{0, out.get()}, {1, in.get()}, {.index = 2, .bytes = BytesOf(uint32_t{1})}}),
      HasSubstr("buffer(2) 'args' has 4 bytes, its type 8"));
}

TEST_F(Encoder, BytesAreForReadingAndFew) {
  EXPECT_THAT(Run("copy", {{1, in.get()}, {.index = 0, .bytes = "1234"}}),
              HasSubstr("buffer(0) 'out' is written, but bound by setBytes"));
  EXPECT_THAT(Run("copy", {{0, out.get()}, {.index = 1, .bytes = std::string(4097, ' ')}}),
              HasSubstr("setBytes: 4097 bytes"));
}

TEST_F(Encoder, OffsetsAreInsideAndAligned) {
  EXPECT_THAT(Run("copy", {{0, out.get(), 256}, {1, in.get()}}),
              HasSubstr("offset 256 is beyond buffer '' of 256 bytes"));
  EXPECT_THAT(Run("small_groups", {{0, out.get(), 8}}),
              HasSubstr("is bound at offset 8, its type needs a multiple of 16"));
  EXPECT_THAT(Run("copy", {{0, out.get()}, {31, in.get()}}), HasSubstr("index 31 is beyond 30"));
}

// The page behind it can be read: only the trace knows that it does not belong to the buffer.
TEST_F(Encoder, HostMemoryThatWasNotCopiedEndsWhereItsBufferEnds) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const Ref<MTL::Buffer> first = NS::TransferPtr(
      metal.device()->newBuffer(memory, page, MTL::ResourceStorageModeShared, nullptr));
  metal.residency()->addAllocation(first.get());
  metal.residency()->commit();
  EXPECT_EQ(Run("copy", {{0, out.get()}, {1, first.get(), page - 256}}, MTL::Size(64, 1, 1)), "");
  EXPECT_THAT(Run("copy", {{0, out.get()}, {1, first.get(), page - 128}}, MTL::Size(64, 1, 1)),
              HasSubstr("kernel 'copy': out-of-bounds access: load 0 bytes beyond the end of a "
                        "buffer of " +
                        std::to_string(page)));
  metal.residency()->removeAllAllocations();
  metal.residency()->commit();
  munmap(memory, 2 * page);
}

TEST_F(Encoder, ItTakesNothingAfterItsEnd) {
  EXPECT_EQ(Encode([](MTL::ComputeCommandEncoder* encoder) {
              encoder->endEncoding();
              encoder->memoryBarrier(MTL::BarrierScopeBuffers);
            }),
            "memoryBarrier after endEncoding");
}

TEST_F(Encoder, ThreadsOfAGridNeedNotFillGroups) {
  const auto pipeline = metal.Pipeline(kEncoderShader, "copy");
  EXPECT_EQ(Encode([&](MTL::ComputeCommandEncoder* encoder) {
              encoder->setComputePipelineState(pipeline.get());
              encoder->setBuffer(out.get(), 0, 0);
              encoder->setBuffer(in.get(), 0, 1);
              encoder->dispatchThreads(MTL::Size(50, 1, 1), MTL::Size(32, 1, 1));
            }),
            "");
  EXPECT_EQ(Contents<float>(out)[49], 2.0f);
  EXPECT_NE(Contents<float>(out)[50], 2.0f);
}

TEST_F(Encoder, CopiesAndFillsBuffers) {
  MTL::CommandBuffer* const commands = metal.queue()->commandBuffer();
  MTL::BlitCommandEncoder* const encoder = commands->blitCommandEncoder();
  encoder->fillBuffer(out.get(), NS::Range(0, 256), 0);
  encoder->copyFromBuffer(in.get(), 0, out.get(), 8, 4);
  encoder->endEncoding();
  EXPECT_EQ(MetalHarness::Finish(commands), "");
  EXPECT_EQ(Contents<float>(out)[1], 0.0f);
  EXPECT_EQ(Contents<float>(out)[2], 2.0f);
}

}  // namespace
}  // namespace infer::emulation
