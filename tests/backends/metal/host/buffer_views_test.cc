// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/buffer_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer::metal {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Use = MemorySpan::Use;

constexpr ViewLimits kLimits = {.page = 4096, .max_buffer = 16 * 4096 + 100};

MemorySpan SpanAt(uintptr_t address, size_t bytes, uint64_t largest = 0, Use use = Use::kWeights) {
  return {use, {reinterpret_cast<const std::byte*>(address), bytes}, largest};
}

TEST(BufferViews, AreWholePages) {
  const MemorySpan spans[] = {SpanAt(4096 * 10 + 7, 4090)};
  EXPECT_THAT(*PlanViews(spans, kLimits), ElementsAre(ViewRange{4096 * 10, 8192, Use::kWeights}));
  const MemorySpan nothing[] = {SpanAt(0, 0)};
  EXPECT_TRUE(PlanViews(nothing, kLimits)->empty());
}

TEST(BufferViews, JoinSpansThatMeetInAPage) {
  const MemorySpan spans[] = {SpanAt(4096 * 20, 4096), SpanAt(4096 * 10 + 100, 10),
                              SpanAt(4096 * 10 + 200, 4096)};
  EXPECT_THAT(*PlanViews(spans, kLimits), ElementsAre(ViewRange{4096 * 10, 8192, Use::kWeights},
                                                      ViewRange{4096 * 20, 4096, Use::kWeights}));
}

TEST(BufferViews, OverlapByTheLargestValue) {
  const MemorySpan spans[] = {SpanAt(4096, 40 * 4096, 4 * 4096 + 1)};
  EXPECT_THAT(*PlanViews(spans, kLimits),
              ElementsAre(ViewRange{4096, 16 * 4096, Use::kWeights},
                          ViewRange{12 * 4096, 16 * 4096, Use::kWeights},
                          ViewRange{23 * 4096, 16 * 4096, Use::kWeights},
                          ViewRange{34 * 4096, 7 * 4096, Use::kWeights}));
}

// Wherever a value lies, it is whole in one view.
TEST(BufferViews, HoldEveryValueWhole) {
  constexpr uintptr_t kBegin = 4096 * 3 + 24;
  constexpr uint64_t kBytes = 100 * 4096, kLargest = 5 * 4096 + 17;
  const MemorySpan spans[] = {SpanAt(kBegin, kBytes, kLargest)};
  const std::vector<ViewRange> views = *PlanViews(spans, kLimits);
  EXPECT_GT(views.size(), 5u);
  for (uint64_t at = 0; at + kLargest <= kBytes; at += 8) {
    const int found = FindView(views, kBegin + at, kLargest);
    ASSERT_GE(found, 0) << at;
    ASSERT_GE(kBegin + at, views[found].begin);
    ASSERT_LE(kBegin + at + kLargest, views[found].end());
    ASSERT_LE(views[found].bytes, kLimits.max_buffer);
  }
}

TEST(BufferViews, RefuseAValueThatFitsIntoNoBuffer) {
  const MemorySpan whole[] = {SpanAt(4096, 17 * 4096)};
  const auto refused = PlanViews(whole, kLimits);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status().ToString(), HasSubstr("69632 bytes does not fit"));
  const MemorySpan fits[] = {SpanAt(4096, 16 * 4096)};
  EXPECT_EQ(PlanViews(fits, kLimits)->size(), 1u);
}

TEST(BufferViews, AreNotFoundForMemoryOutsideThem) {
  const ViewRange views[] = {{4096, 8192}, {40960, 4096}};
  EXPECT_EQ(FindView(views, 4095, 1), -1);
  EXPECT_EQ(FindView(views, 4096, 8192), 0);
  EXPECT_EQ(FindView(views, 4096, 8193), -1);
  EXPECT_EQ(FindView(views, 12287, 1), 0);
  EXPECT_EQ(FindView(views, 12288, 1), -1);
  EXPECT_EQ(FindView(views, 40960 + 4096, 0), 1);
  EXPECT_EQ(FindView(views, 50000, 1), -1);
  EXPECT_EQ(FindView({}, 50000, 1), -1);
}

}  // namespace
}  // namespace infer::metal
