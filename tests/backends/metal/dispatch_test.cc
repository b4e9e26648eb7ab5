// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/dispatch.h"

#include <array>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace infer::metal {
namespace {

using ::testing::ElementsAre;

std::array<std::byte, 4096> dispatch_memory;

Binding Read(size_t begin, size_t end) {
  return {1, dispatch_memory.data() + begin, end - begin, false};
}
Binding Write(size_t begin, size_t end) {
  return {2, dispatch_memory.data() + begin, end - begin, true};
}

Dispatch Of(std::initializer_list<Binding> bindings, uint64_t flops = 0) {
  Dispatch dispatch;
  dispatch.bindings.assign(bindings.begin(), bindings.end());
  dispatch.flops = flops;
  return dispatch;
}

TEST(BarriersBefore, ReaderWaitsForWriter) {
  const Dispatch all[] = {Of({Write(0, 64)}), Of({Read(0, 64), Write(64, 128)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, true));
}

TEST(BarriersBefore, WriterWaitsForReader) {
  const Dispatch all[] = {Of({Read(0, 64), Write(64, 128)}), Of({Write(0, 64)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, true));
}

TEST(BarriersBefore, WriterWaitsForWriter) {
  const Dispatch all[] = {Of({Write(0, 64)}), Of({Write(63, 65)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, true));
}

TEST(BarriersBefore, ReadersAndNeighboursRunTogether) {
  const Dispatch all[] = {Of({Read(0, 64), Write(64, 128)}), Of({Read(0, 64), Write(128, 192)}),
                          Of({Read(32, 64), Write(192, 256)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, false, false));
}

// What a barrier has settled is no reason for the next one.
TEST(BarriersBefore, CountsFromTheLastBarrier) {
  const Dispatch all[] = {Of({Write(0, 64)}), Of({Read(0, 64), Write(64, 128)}),
                          Of({Read(0, 64), Write(128, 192)}), Of({Read(64, 192), Write(0, 8)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, true, false, true));
}

TEST(BarriersBefore, ADispatchInPlaceDoesNotWaitForItself) {
  const Dispatch all[] = {Of({Read(0, 64), Write(0, 64)}), Of({Read(0, 64), Write(0, 64)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, true));
}

TEST(BarriersBefore, AnEmptyRangeTouchesNothing) {
  const Dispatch all[] = {Of({Write(0, 64)}), Of({Read(32, 32)})};
  EXPECT_THAT(BarriersBefore(all), ElementsAre(false, false));
}

TEST(CutCommandBuffers, NothingIsNoCommandBuffer) {
  EXPECT_THAT(CutCommandBuffers({}, 100), ElementsAre());
}

TEST(CutCommandBuffers, FillsUpToTheLimit) {
  const Dispatch all[] = {Of({}, 40), Of({}, 60), Of({}, 1), Of({}, 99), Of({}, 1)};
  EXPECT_THAT(CutCommandBuffers(all, 100), ElementsAre(0, 2, 4));
}

TEST(CutCommandBuffers, ALargeDispatchIsAlone) {
  const Dispatch all[] = {Of({}, 10), Of({}, 500), Of({}, 10)};
  EXPECT_THAT(CutCommandBuffers(all, 100), ElementsAre(0, 1, 2));
}

TEST(CutCommandBuffers, ZeroIsNoLimit) {
  const Dispatch all[] = {Of({}, 10), Of({}, 500), Of({}, 10)};
  EXPECT_THAT(CutCommandBuffers(all, 0), ElementsAre(0));
}

TEST(PipelineKey, ConstantsAreOfItsIdentity) {
  const PipelineKey one = {"linear_q8_0", "matvec_q8_0", {0, 2, 1}};
  PipelineKey other = one;
  EXPECT_EQ(one, other);
  other.constants[2] = 2;
  EXPECT_FALSE(one == other);
  other = one;
  other.threads = 64;
  EXPECT_FALSE(one == other);
}

}  // namespace
}  // namespace infer::metal
