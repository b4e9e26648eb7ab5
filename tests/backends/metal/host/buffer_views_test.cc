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
  EXPECT_THAT(*CutViews(spans, kLimits), ElementsAre(ViewRange{4096 * 10, 8192, Use::kWeights}));
  const MemorySpan nothing[] = {SpanAt(0, 0)};
  EXPECT_TRUE(CutViews(nothing, kLimits)->empty());
}

TEST(BufferViews, JoinSpansThatMeetInAPage) {
  const MemorySpan spans[] = {SpanAt(4096 * 20, 4096), SpanAt(4096 * 10 + 100, 10),
                              SpanAt(4096 * 10 + 200, 4096)};
  EXPECT_THAT(*CutViews(spans, kLimits), ElementsAre(ViewRange{4096 * 10, 8192, Use::kWeights},
                                                     ViewRange{4096 * 20, 4096, Use::kWeights}));
}

TEST(BufferViews, OverlapByTheLargestValue) {
  const MemorySpan spans[] = {SpanAt(4096, 40 * 4096, 4 * 4096 + 1)};
  EXPECT_THAT(*CutViews(spans, kLimits),
              ElementsAre(ViewRange{4096, 16 * 4096, Use::kWeights},
                          ViewRange{12 * 4096, 16 * 4096, Use::kWeights},
                          ViewRange{23 * 4096, 16 * 4096, Use::kWeights},
                          ViewRange{34 * 4096, 7 * 4096, Use::kWeights}));
}

// A mapped model is one span: its views are what residency sets are filled with.
TEST(BufferViews, CutWeightsToTheSizeOfAResidencySet) {
  ViewLimits limits = {.page = 4096, .max_buffer = 1000 * 4096, .weight_view = 10 * 4096};
  const MemorySpan weights[] = {SpanAt(4096, 100 * 4096, 2 * 4096)};
  std::vector<ViewRange> views = *CutViews(weights, limits);
  for (const ViewRange& view : views) EXPECT_LE(view.bytes, 10u * 4096);
  EXPECT_EQ(views.size(), 13u);  // 10 pages, then 8 more each
  // Half of each view is new at least.
  const MemorySpan large[] = {SpanAt(4096, 100 * 4096, 20 * 4096)};
  EXPECT_THAT(*CutViews(large, limits),
              ElementsAre(ViewRange{4096, 40 * 4096, Use::kWeights},
                          ViewRange{21 * 4096, 40 * 4096, Use::kWeights},
                          ViewRange{41 * 4096, 40 * 4096, Use::kWeights},
                          ViewRange{61 * 4096, 40 * 4096, Use::kWeights}));
  limits.max_buffer = 30 * 4096;
  views = *CutViews(large, limits);
  for (const ViewRange& view : views) EXPECT_LE(view.bytes, 30u * 4096);
  limits.max_buffer = 1000 * 4096;
  const MemorySpan cache[] = {SpanAt(4096, 100 * 4096, 2 * 4096, Use::kCache)};
  EXPECT_EQ(CutViews(cache, limits)->size(), 1u);
  limits.weight_view = 0;
  EXPECT_EQ(CutViews(weights, limits)->size(), 1u);
}

// Weights may be copied, memory that is written may not.
TEST(BufferViews, AreOfWeightsOnlyIfAllTheirSpansAre) {
  const MemorySpan before[] = {SpanAt(4096, 100), SpanAt(4096 + 200, 100, 0, Use::kCache)};
  EXPECT_THAT(*CutViews(before, kLimits), ElementsAre(ViewRange{4096, 4096, Use::kCache}));
  const MemorySpan after[] = {SpanAt(4096, 100, 0, Use::kActivations), SpanAt(4096 + 200, 100)};
  EXPECT_THAT(*CutViews(after, kLimits), ElementsAre(ViewRange{4096, 4096, Use::kActivations}));
}

// Wherever a value lies, it is whole in one view.
TEST(BufferViews, HoldEveryValueWhole) {
  constexpr uintptr_t kBegin = 4096 * 3 + 24;
  constexpr uint64_t kBytes = 100 * 4096, kLargest = 5 * 4096 + 17;
  const MemorySpan spans[] = {SpanAt(kBegin, kBytes, kLargest)};
  const std::vector<ViewRange> views = *CutViews(spans, kLimits);
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
  const auto refused = CutViews(whole, kLimits);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(refused.status().ToString(), HasSubstr("69632 bytes does not fit"));
  const MemorySpan fits[] = {SpanAt(4096, 16 * 4096)};
  EXPECT_EQ(CutViews(fits, kLimits)->size(), 1u);
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
