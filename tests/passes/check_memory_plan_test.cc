// SPDX-License-Identifier: Apache-2.0
//
// Whether the checker of memory plans sees what is wrong with one.
#include "tests/support/check_memory_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph/plan.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::MemoryPlanError;
using test::SampleGraph;
using ::testing::HasSubstr;

// The error of the sample graph once `damage` has changed its plan.
template <class Damage>
std::string ErrorAfter(Damage damage) {
  Graph graph = SampleGraph(Stage::kPlanned);
  Plan plan = *graph.plan();
  damage(plan);
  graph.set_plan(plan);
  return MemoryPlanError(graph);
}

// Slots, in order: 0 tokens, 1 embed, 2 norm, 3 q_proj, 4 heads (a view of it), 5 half,
// 6 attention, 7 the sum in place of embed, 8 rows, 9 logits.
TEST(CheckMemoryPlan, AcceptsViewsAndValuesInPlace) {
  EXPECT_EQ(ErrorAfter([](Plan&) {}), "");
}

TEST(CheckMemoryPlan, SeesTwoValuesInOnePlace) {
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.slots[6].offset = plan.slots[1].offset; }),
              HasSubstr("overwrites %embed"));
}

TEST(CheckMemoryPlan, AllowsThePlaceOfADeadValue) {
  EXPECT_EQ(ErrorAfter([](Plan& plan) { plan.slots[6].offset = plan.slots[2].offset; }), "");
}

TEST(CheckMemoryPlan, SeesAnOpWorkingInPlaceThatMayNot) {
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.slots[9].offset = plan.slots[8].offset; }),
              HasSubstr("overwrites %rows"));
}

TEST(CheckMemoryPlan, SeesAValueThatDiesBeforeItsReader) {
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.slots[2].last_step -= 1; }),
              HasSubstr("lives too short"));
}

TEST(CheckMemoryPlan, SeesASlotThatIsTooSmallOutsideOrCrooked) {
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.slots[2].bytes = 4; }), HasSubstr("needs"));
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.arenas[0].bytes = 64; }), HasSubstr("arena"));
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.slots[2].offset += 4; }), HasSubstr("begins at"));
}

TEST(CheckMemoryPlan, SeesAMissingSlot) {
  EXPECT_THAT(ErrorAfter([](Plan& plan) { plan.slots.erase(plan.slots.begin() + 2); }),
              HasSubstr("has no slot"));
}

TEST(CheckMemoryPlan, SeesAWorkspaceInsideALiveValue) {
  EXPECT_THAT(ErrorAfter([](Plan& plan) {
                plan.segments[0].steps[6].workspace_offset = plan.slots[1].offset;
              }),
              HasSubstr("workspace of step 6"));
}

}  // namespace
}  // namespace infer
