// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/calibrate/tuned_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/policy.h"

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
      Sweep("mul", {}, {50, 50}, {9, 9}),
  };
  const std::string text = TunedPolicyText(crossovers, "a machine", 2);
  EXPECT_THAT(text, HasSubstr("on a machine, 2 threads"));
  EXPECT_THAT(text, HasSubstr("parallel beats simd from 2 flops on; simd beats scalar at every"));
  EXPECT_THAT(text, HasSubstr("parallel beats simd at no size; simd beats scalar from 2 flops on"));
  const Policy policy = Parsed(text);
  EXPECT_EQ(policy.name, "tuned");
  std::vector<std::string> names;
  for (const Rule& rule : policy.rules) names.push_back(rule.name);
  EXPECT_THAT(names, ElementsAre("linear-parallel", "linear-simd", "add-simd", "add-scalar",
                                 "mul-parallel", "everything-else"));
  EXPECT_EQ(policy.rules[0].flops, (Bounds{2, std::nullopt}));
  EXPECT_EQ(policy.rules[1].flops, Bounds{});
  EXPECT_THAT(policy.rules[1].targets,
              ElementsAre(Target::kSimd, Target::kParallel, Target::kScalar));
  EXPECT_EQ(policy.rules[4].flops, Bounds{});
}

TEST(TunedPolicy, OfOneThreadSharesNothing) {
  const Policy policy = Parsed(TunedPolicyText({}, "m", 1));
  ASSERT_EQ(policy.rules.size(), 1u);
  EXPECT_EQ(policy.rules[0].targets[0], Target::kSimd);
}

}  // namespace
}  // namespace infer
