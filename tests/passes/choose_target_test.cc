// SPDX-License-Identifier: Apache-2.0
#include "passes/choose_target.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "ir/text/fingerprint.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::TestMachine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct ChooseTargetTest : ::testing::Test {
  ChooseTargetTest() { machine.policy.rules[0].targets = {Target::kSimd, Target::kScalar}; }

  absl::StatusOr<TargetChoice> Choose(InParts in_parts = InParts::kIfNotWhole) {
    return ChooseTarget(*graph.NodesOf(ops::kRmsNorm)[0], graph.symbols(), machine.policy,
                        machine.catalog, in_parts);
  }

  TestMachine machine;
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4]
        %y = rms_norm(%x, %w) {eps = 1e-06} : f32[T,4]
        return %y
      })");
};

TEST_F(ChooseTargetTest, TakesTheFirstTargetThatRunsTheNodeWhole) {
  machine.catalog.Add("rms_norm", Target::kSimd).Add("rms_norm", Target::kScalar);
  absl::StatusOr<TargetChoice> choice = Choose();
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->target, Target::kSimd);
  ASSERT_TRUE(choice->kernel.has_value());
  EXPECT_EQ(choice->kernel->name, "rms_norm_simd");
  EXPECT_THAT(choice->refused, IsEmpty());
}

TEST_F(ChooseTargetTest, TakesPartsOnABetterTargetBeforeTheWholeOnALesser) {
  machine.policy.rules[0].targets = {Target::kScalar, Target::kSimd};
  machine.catalog.Add("rms_norm", Target::kSimd);
  absl::StatusOr<TargetChoice> choice = Choose();
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->target, Target::kScalar);
  EXPECT_FALSE(choice->kernel.has_value());
  EXPECT_THAT(choice->part_kernels, ::testing::Contains("rsqrt_scalar"));
}

TEST_F(ChooseTargetTest, SaysWhyBetterTargetsWereRefused) {
  machine.catalog.Add("rms_norm", Target::kScalar);
  absl::StatusOr<TargetChoice> choice = Choose();
  ASSERT_TRUE(choice.ok()) << choice.status();
  EXPECT_EQ(choice->target, Target::kScalar);
  ASSERT_EQ(choice->refused.size(), 1u);
  EXPECT_EQ(choice->refused[0].target, Target::kSimd);
  EXPECT_THAT(choice->refused[0].text, HasSubstr("no simd kernel for rms_norm, and its parts: "));
}

TEST_F(ChooseTargetTest, TakesNoPartsWhereThatIsNotAllowed) {
  absl::Status status = Choose(InParts::kNever).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(),
            "node %y (rms_norm): no target of rule all runs it; simd: no simd kernel for rms_norm; "
            "scalar: no scalar kernel for rms_norm");
  EXPECT_TRUE(Choose().ok());
}

TEST_F(ChooseTargetTest, TellsATargetThatIsNotThereFromOneWithoutAKernel) {
  machine.policy.rules[0].targets = {Target::kMetal, Target::kSimd, Target::kScalar};
  machine.catalog.Add("rms_norm", Target::kScalar);
  machine.catalog.SetUnavailable(Target::kMetal, "this machine has no metal device");
  absl::StatusOr<TargetChoice> choice = Choose();
  ASSERT_TRUE(choice.ok()) << choice.status();
  ASSERT_EQ(choice->refused.size(), 2u);
  EXPECT_EQ(choice->refused[0].code, Rejected::Code::kUnavailable);
  EXPECT_EQ(choice->refused[0].text, "this machine has no metal device");
  EXPECT_EQ(choice->refused[1].code, Rejected::Code::kNoKernel);
}

TEST_F(ChooseTargetTest, BlamesTheMachineWhereNoTargetIsThere) {
  machine.policy.rules[0].targets = {Target::kMetal};
  machine.catalog.SetUnavailable(Target::kMetal, "this machine has no metal device");
  EXPECT_EQ(Choose().status(),
            absl::UnavailableError("node %y (rms_norm): no target of rule all runs it; metal: this "
                                   "machine has no metal device"));
}

TEST_F(ChooseTargetTest, WithoutFallbackTheFirstTargetRunsTheNodeOrNone) {
  auto choose = [&] {
    return ChooseTarget(*graph.NodesOf(ops::kRmsNorm)[0], graph.symbols(), machine.policy,
                        machine.catalog, InParts::kIfNotWhole, Fallback::kForbidden);
  };
  machine.catalog.Add("rms_norm", Target::kScalar);
  EXPECT_EQ(choose().status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(choose().status().ToString(),
              HasSubstr("node %y (rms_norm): rule all wants it on simd: no simd kernel"));
  machine.catalog.Add("rms_norm", Target::kSimd);
  EXPECT_TRUE(choose().ok());
  machine.policy.rules[0].targets = {Target::kScalar};
  machine.catalog.Refuse("rms_norm", Target::kScalar, "in parts, please");
  EXPECT_TRUE(choose().ok()) << "its parts on the first target are no fallback";
}

TEST_F(ChooseTargetTest, LeavesNoTraceInTheGraph) {
  uint64_t before = Fingerprint(graph);
  ASSERT_TRUE(Choose().ok());
  EXPECT_EQ(Fingerprint(graph), before);
}

}  // namespace
}  // namespace infer
