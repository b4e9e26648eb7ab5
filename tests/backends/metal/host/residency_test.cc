// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/residency.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "backends/metal/metal_memory.h"
#include "runtime/zeroed_memory.h"
#include "tests/metal_emulation/emulation.h"

namespace infer::metal {
namespace {

using emulation::ScopedSettings;
using emulation::Settings;
using Use = MemorySpan::Use;

constexpr uint64_t kMebibyte = 1 << 20;

// Sets of up to a mebibyte.
Settings SmallWorkingSet() {
  Settings small;
  small.recommended_max_working_set_size = 20 * kMebibyte;
  return small;
}

MemorySpan SpanIn(Use use, const ZeroedMemory& memory, uint64_t largest = 0) {
  return {use, {memory.data(), memory.bytes()}, largest};
}

size_t LiveSets() {
  size_t sets = 0;
  for (const std::string& object : emulation::LiveObjectList()) {
    sets += object.find("ResidencySet '") != std::string::npos;
  }
  return sets;
}

// Every object that a test makes is gone when it ends, and nothing was misused on the way.
class Residency : public ::testing::Test {
 protected:
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(emulation::LiveObjects(), live_before_);
    EXPECT_EQ(emulation::counters().sets_never_requested, never_requested_before_);
    EXPECT_THAT(emulation::TakeProblems(), ::testing::IsEmpty());
  }

  Ref<MTL::Buffer> NewBuffer(uint64_t bytes) {
    return Own(device_->get()->newBuffer(bytes, MTL::ResourceStorageModeShared));
  }

  const size_t live_before_ = emulation::LiveObjects();
  const uint64_t never_requested_before_ = emulation::counters().sets_never_requested;
  ScopedSettings settings_{SmallWorkingSet()};
  std::shared_ptr<MetalDevice> device_ = MetalDevice::Open();
};

TEST_F(Residency, FillsSetsUpToTheirSizeAndEndsEmptyOnes) {
  std::vector<Ref<MTL::Buffer>> owned;
  std::vector<MTL::Buffer*> buffers;
  for (uint64_t bytes : {3 * kMebibyte, kMebibyte / 2, kMebibyte / 4, kMebibyte / 2}) {
    owned.push_back(NewBuffer(bytes));
    buffers.push_back(owned.back().get());
  }
  ResidencySets& sets = device_->residency();
  sets.Add(buffers);
  EXPECT_EQ(sets.size(), 3u);  // the large one, a half with a quarter, the other half
  sets.Remove(std::span(buffers).subspan(1, 1));
  EXPECT_EQ(sets.size(), 3u);
  sets.Remove(std::span(buffers).subspan(2, 1));
  EXPECT_EQ(sets.size(), 2u);
  sets.Remove(buffers);  // two of them once more
  EXPECT_EQ(sets.size(), 0u);
  EXPECT_EQ(LiveSets(), 0u);
}

// The file is one span. Without cutting, one set would hold all of it.
TEST_F(Residency, AMappedModelIsSpreadOverSets) {
  const ZeroedMemory file = *ZeroedMemory::Create(10 * kMebibyte);
  const MemorySpan spans[] = {SpanIn(Use::kWeights, file, 100'000)};
  auto memory = MetalMemory::Create(device_, spans);
  ASSERT_TRUE(memory.ok()) << memory.status();
  EXPECT_GE(device_->residency().size(), 10u);
  EXPECT_LE(device_->residency().size(), 13u);
  for (uint64_t at = 0; at + 100'000 <= file.bytes(); at += 40'000) {
    const auto place = (*memory)->Find(file.data() + at, 100'000);
    ASSERT_TRUE(place) << at;
    EXPECT_LE(place->buffer->length(), kMebibyte);
  }
}

// Their small buffers share sets; weights beyond what 32 sets hold join others.
TEST_F(Residency, AQueueNeverHasMoreThan32Sets) {
  const ZeroedMemory file = *ZeroedMemory::Create(4 * kMebibyte);
  std::vector<ZeroedMemory> arenas;
  std::vector<std::unique_ptr<MetalMemory>> sessions;
  for (int i = 0; i < 20; ++i) {
    arenas.push_back(*ZeroedMemory::Create(20'000));
    const MemorySpan spans[] = {SpanIn(Use::kWeights, file, 100'000),
                                SpanIn(Use::kActivations, arenas.back())};
    auto memory = MetalMemory::Create(device_, spans);
    ASSERT_TRUE(memory.ok()) << memory.status();
    sessions.push_back(*std::move(memory));
    EXPECT_LE(device_->residency().size(), 32u);
  }
  EXPECT_EQ(device_->residency().size(), 32u);
  EXPECT_EQ(LiveSets(), 32u);
  sessions.erase(sessions.begin() + 1, sessions.end());
  EXPECT_LE(device_->residency().size(), 6u);
  sessions.clear();
  EXPECT_EQ(device_->residency().size(), 0u);
}

TEST_F(Residency, SessionsWithLittleMemoryShareASet) {
  std::vector<ZeroedMemory> arenas;
  std::vector<std::unique_ptr<MetalMemory>> sessions;
  for (int i = 0; i < 10; ++i) {
    arenas.push_back(*ZeroedMemory::Create(20'000));
    const MemorySpan spans[] = {SpanIn(Use::kActivations, arenas.back())};
    sessions.push_back(*MetalMemory::Create(device_, spans));
  }
  EXPECT_EQ(device_->residency().size(), 1u);
}

TEST_F(Residency, WithoutSetsNothingIsAdded) {
  ResidencySets none(device_->get(), device_->queue(), false, kMebibyte);
  const Ref<MTL::Buffer> buffer = NewBuffer(100);
  MTL::Buffer* const added = buffer.get();
  none.Add({&added, 1});
  EXPECT_EQ(none.size(), 0u);
  none.Remove({&added, 1});
}

}  // namespace
}  // namespace infer::metal
