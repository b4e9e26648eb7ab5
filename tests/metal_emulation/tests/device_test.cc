// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>

#include "tests/metal_emulation/tests/metal_harness.h"

namespace infer::emulation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr MTL::ResourceOptions kShared = MTL::ResourceStorageModeShared;

TEST(Device, SaysWhatItIs) {
  const MetalHarness metal;
  EXPECT_STREQ(metal.device()->name()->utf8String(), "metal (CPU emulation, not a GPU)");
  EXPECT_TRUE(metal.device()->hasUnifiedMemory());
  EXPECT_TRUE(metal.device()->supportsFamily(MTL::GPUFamilyApple7));
  EXPECT_FALSE(metal.device()->supportsFamily(MTL::GPUFamilyApple9));
  EXPECT_EQ(metal.device()->maxThreadgroupMemoryLength(), 32768u);
}

TEST(Device, HasTheLimitsThatATestSets) {
  Settings settings;
  settings.max_buffer_length = 1 << 20;
  settings.recommended_max_working_set_size = 5 << 20;
  const ScopedSettings scoped(settings);
  const MetalHarness metal;
  EXPECT_EQ(metal.device()->maxBufferLength(), 1u << 20);
  EXPECT_EQ(metal.device()->recommendedMaxWorkingSetSize(), 5u << 20);
  EXPECT_EQ(metal.device()->newBuffer((1 << 20) + 1, kShared), nullptr);
  EXPECT_THAT(TakeProblems(), ElementsAre(HasSubstr("beyond maxBufferLength 1048576")));
}

TEST(Device, MayBeMissing) {
  Settings settings;
  settings.has_device = false;
  const ScopedSettings scoped(settings);
  EXPECT_EQ(MTL::CreateSystemDefaultDevice(), nullptr);
}

TEST(Buffer, OfNoLengthIsRefused) {
  const MetalHarness metal;
  EXPECT_EQ(metal.device()->newBuffer(NS::UInteger{0}, kShared), nullptr);
  EXPECT_THAT(TakeProblems(), ElementsAre("newBuffer with length 0"));
}

TEST(Buffer, BeginsAsNaN) {
  MetalHarness metal;
  for (const float value : Contents<float>(metal.Buffer(400))) EXPECT_TRUE(std::isnan(value));
}

TEST(Buffer, WithBytesIsACopy) {
  const MetalHarness metal;
  int values[] = {1, 2, 3};
  const Ref<MTL::Buffer> buffer =
      NS::TransferPtr(metal.device()->newBuffer(values, sizeof values, kShared));
  values[1] = 5;
  EXPECT_THAT(Contents<int>(buffer), ElementsAre(1, 2, 3));
}

TEST(Buffer, WithoutACopyNeedsWholePages) {
  const MetalHarness metal;
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* const memory =
      mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  auto* const bytes = static_cast<char*>(memory);
  const Ref<MTL::Buffer> whole =
      NS::TransferPtr(metal.device()->newBuffer(memory, 2 * page, kShared, nullptr));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->contents(), memory);
  EXPECT_EQ(metal.device()->newBuffer(bytes + 16, page, kShared, nullptr), nullptr);
  EXPECT_EQ(metal.device()->newBuffer(memory, page + 16, kShared, nullptr), nullptr);
  EXPECT_THAT(TakeProblems(),
              ElementsAre(HasSubstr("multiples of the page size"), HasSubstr("page size")));
  munmap(memory, 2 * page);
}

TEST(Buffer, OfPrivateMemoryHasNoContents) {
  const MetalHarness metal;
  const Ref<MTL::Buffer> buffer =
      NS::TransferPtr(metal.device()->newBuffer(64, MTL::ResourceStorageModePrivate));
  EXPECT_EQ(buffer->contents(), nullptr);
  EXPECT_EQ(buffer->storageMode(), MTL::StorageModePrivate);
}

TEST(Buffer, CountsInWhatTheDeviceHasAllocated) {
  MetalHarness metal;
  const NS::UInteger before = metal.device()->currentAllocatedSize();
  {
    const Ref<MTL::Buffer> buffer = NS::TransferPtr(metal.device()->newBuffer(640, kShared));
    EXPECT_EQ(metal.device()->currentAllocatedSize(), before + 640);
  }
  EXPECT_EQ(metal.device()->currentAllocatedSize(), before);
}

}  // namespace
}  // namespace infer::emulation
