// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/tuned_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/policy/policy.h"
#include "ir/policy/policy_text.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Times at sizes 1, 2, 3, ...
Crossover Sweep(std::string op, const std::vector<double>& scalar, const std::vector<double>& simd,
                const std::vector<double>& parallel) {
  Crossover crossover{.op = std::move(op), .unit = "flops", .points = {}};
  for (size_t i = 0; i < simd.size(); ++i) {
    CrossoverPoint point{.shape = "1 rows", .size = static_cast<int64_t>(i + 1)};
    if (!scalar.empty()) point.scalar_ns = scalar[i];
    point.simd_ns = simd[i];
    if (!parallel.empty()) point.parallel_ns = parallel[i];
    crossover.points.push_back(point);
  }
  Conclude(&crossover);
  return crossover;
}

TEST(Crossovers, AreWhereATargetStaysBetter) {
  const Crossover crossover =
      Sweep("linear", {9, 9, 9, 9}, {5, 5, 5, 5}, {9, 4, 5, 3});  // the second win does not last
  EXPECT_EQ(crossover.simd, Crossover::From::kAlways);
  EXPECT_EQ(crossover.parallel, Crossover::From::kSize);
  EXPECT_EQ(crossover.parallel_size, 4);
}

TEST(Crossovers, TiesGoToTheSimplerTarget) {
  EXPECT_EQ(Sweep("linear", {}, {100, 100}, {99, 98}).parallel, Crossover::From::kNever);
  EXPECT_EQ(Sweep("linear", {}, {100, 100}, {99, 96}).parallel_size, 2);
}

// Where all threads are at work before and after, one that works alone saves nothing by itself.
TEST(Crossovers, BetweenProductsTiesGoToAllThreads) {
  auto parallel_from = [](double simd, double parallel, double spread) {
    Crossover crossover = Sweep("rms_norm", {}, {simd, 100}, {parallel, 50});
    crossover.points[0].among_spread_ns = spread;
    Conclude(&crossover);
    return crossover.parallel;
  };
  EXPECT_EQ(parallel_from(99, 100, 0), Crossover::From::kAlways);   // not clearly
  EXPECT_EQ(parallel_from(80, 100, 11), Crossover::From::kAlways);  // within what times are off
  EXPECT_EQ(parallel_from(80, 100, 5), Crossover::From::kSize);
  EXPECT_EQ(parallel_from(120, 100, 5), Crossover::From::kAlways);
}

TEST(Crossovers, ATargetWithoutAKernelNeverWins) {
  const Crossover crossover = Sweep("linear", {}, {5, 5}, {});
  EXPECT_EQ(crossover.parallel, Crossover::From::kNever);
  EXPECT_EQ(crossover.simd, Crossover::From::kAlways);  // there is nothing to beat
}

Policy Parsed(const std::string& text) {
  absl::StatusOr<Policy> policy = ParsePolicy(text, "tuned");
  EXPECT_TRUE(policy.ok()) << policy.status() << "\n" << text;
  return policy.ok() ? *policy : Policy();
}

TEST(TunedPolicy, IsAPolicyWithItsMeasurementsInComments) {
  const std::vector<Crossover> crossovers = {
      Sweep("linear", {9, 99}, {5, 50}, {9, 30}),
      Sweep("add", {1, 99}, {5, 50}, {9, 90}),
      Sweep("swiglu", {}, {50, 50}, {9, 9}),
  };
  const std::string text = TunedPolicyText(crossovers, "a machine", 2);
  EXPECT_THAT(text, HasSubstr("on a machine, 2 threads"));
  EXPECT_THAT(text,
              HasSubstr("parallel goes before simd from 2 flops on; simd goes before scalar at "));
  EXPECT_THAT(text,
              HasSubstr("parallel goes before simd at no size; simd goes before scalar from 2"));
  const Policy policy = Parsed(text);
  EXPECT_EQ(policy.name, "tuned");
  ASSERT_EQ(policy.rules.size(), 6u);
  EXPECT_EQ(policy.rules[0].name, "linear-parallel");
  EXPECT_EQ(policy.rules[0].flops, (Bounds{2, std::nullopt}));
  EXPECT_EQ(policy.rules[1].name, "linear-simd");  // what is smaller
  EXPECT_EQ(policy.rules[1].flops, Bounds{});
  EXPECT_EQ(policy.rules[2].name, "add-scalar");
  EXPECT_EQ(policy.rules[2].flops, (Bounds{std::nullopt, 1}));
  EXPECT_THAT(policy.rules[2].targets,
              ElementsAre(Target::kScalar, Target::kSimd, Target::kParallel));
  EXPECT_EQ(policy.rules[3].name, "add-simd");
  EXPECT_EQ(policy.rules[4].op, "silu");  // swiglu is of that family
  EXPECT_EQ(policy.rules[4].flops, Bounds{});
  EXPECT_EQ(policy.rules[5].targets[0], Target::kParallel);
}

// Every rule that could share something out needs a win of parallel.
TEST(TunedPolicy, OfOneThreadSharesNothing) {
  const std::vector<Crossover> crossovers = {Sweep("linear", {9, 99}, {5, 50}, {5, 50})};
  const Policy policy = Parsed(TunedPolicyText(crossovers, "m", 1));
  ASSERT_EQ(policy.rules.size(), 1u);
  EXPECT_EQ(policy.rules[0].targets[0], Target::kSimd);
}

RaceTimes Times(int64_t tokens, std::vector<double> tuned, std::vector<double> parallel) {
  return {.tokens = tokens,
          .policies = {"tuned", "simd", "parallel"},
          .rounds_ns = {std::move(tuned), {200, 200.1, 200.2}, std::move(parallel)}};
}

TEST(TunedPolicy, KeepsRulesThatGainSomewhereAndLoseNowhere) {
  const RaceTimes gains = Times(1, {90, 90.1, 90.2}, {100, 100.1, 100.2});
  const RaceTimes ties = Times(2, {100, 104, 99}, {100, 100, 100});
  const RaceTimes loses = Times(4, {103, 103.1, 103.2}, {100, 100.1, 100.2});
  EXPECT_TRUE(CheckTuned({gains, ties}).keep);
  EXPECT_FALSE(CheckTuned({ties}).keep);          // nothing is gained
  EXPECT_FALSE(CheckTuned({gains, loses}).keep);  // 3 % behind, and no scatter
  EXPECT_EQ(CheckTuned({ties}).best, Target::kParallel);
}

TEST(TunedPolicy, FallsBackToTheBestTargetForEverything) {
  const std::vector<Crossover> crossovers = {Sweep("linear", {9, 99}, {5, 50}, {9, 30})};
  const TunedCheck check = {.keep = false, .best = Target::kParallel, .table = "| 1 | tuned |\n"};
  const std::string text = TunedPolicyText(crossovers, "m", 2, check);
  EXPECT_THAT(text, HasSubstr("#   1 rows"));  // what was measured stays
  EXPECT_THAT(text, HasSubstr("\n# | 1 | tuned |\n"));
  const Policy policy = Parsed(text);
  ASSERT_EQ(policy.rules.size(), 1u);
  EXPECT_THAT(policy.rules[0].targets,
              ElementsAre(Target::kParallel, Target::kSimd, Target::kScalar));
}

RaceTimes WithGpu(int64_t tokens, double cpu, double gpu) {
  return {.tokens = tokens,
          .policies = {"tuned", "gpu"},
          .rounds_ns = {{cpu, cpu + 0.1, cpu + 0.2}, {gpu, gpu + 0.1, gpu + 0.3}}};
}

TEST(TunedPolicy, TheGpuTakesOverFromWhereItStaysFaster) {
  const RaceTimes slow = WithGpu(1, 10, 90), chance = WithGpu(2, 95, 90), tie = WithGpu(4, 90, 90);
  const RaceTimes eight = WithGpu(8, 120, 95), sixteen = WithGpu(16, 240, 99);
  EXPECT_EQ(FindGpuCrossover({slow, chance, tie, eight, sixteen}, Target::kMetal).rows, 8);
  EXPECT_EQ(FindGpuCrossover({slow, tie}, Target::kMetal).rows, 0);
  EXPECT_EQ(FindGpuCrossover({chance, eight}, Target::kMetal).rows, 2);
}

TEST(TunedPolicy, TheRuleOfTheGpuComesFirst) {
  const std::vector<Crossover> crossovers = {Sweep("linear", {9, 99}, {5, 50}, {9, 30})};
  const GpuCrossover gpu =
      FindGpuCrossover({WithGpu(1, 10, 90), WithGpu(8, 120, 95)}, Target::kCuda);
  const std::string text = TunedPolicyText(crossovers, "m", 2, {}, gpu);
  EXPECT_THAT(text, HasSubstr("\n# | 8 | gpu | 3 | "));
  const Policy policy = Parsed(text);
  EXPECT_EQ(policy.rules[0].name, "gpu");
  EXPECT_EQ(policy.rules[0].rows.min, 8);
  EXPECT_EQ(policy.rules[0].targets[0], Target::kCuda);
  EXPECT_THAT(TunedPolicyText(crossovers, "m", 2), HasSubstr("# There was no GPU to measure.\n"));
}

}  // namespace
}  // namespace infer
