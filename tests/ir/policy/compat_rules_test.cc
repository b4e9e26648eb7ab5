// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/compat_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(TensorOverrides, AreRulesAboutNames) {
  absl::StatusOr<std::vector<Rule>> rules = ParseTensorOverrides(R"(blk\.(0|1)\.ffn=CPU,out=GPU)");
  ASSERT_TRUE(rules.ok()) << rules.status();
  ASSERT_EQ(rules->size(), 2u);
  EXPECT_EQ((*rules)[0].name, R"(override-tensor blk\.(0|1)\.ffn=CPU)");
  EXPECT_EQ((*rules)[0].node_regex.text(), R"(blk\.(0|1)\.ffn)");
  EXPECT_TRUE((*rules)[0].is_override);
  EXPECT_EQ((*rules)[0].targets[0], Target::kParallel);
  EXPECT_EQ((*rules)[1].targets[0], Target::kMetal);
}

TEST(TensorOverrides, TakeTheNamesOfDevices) {
  for (const auto& [word, target] : {std::pair{"CPU", Target::kParallel},
                                     {"cpu", Target::kParallel},
                                     {"Metal", Target::kMetal},
                                     {"MTL0", Target::kMetal},
                                     {"GPU", Target::kMetal},
                                     {"CUDA0", Target::kCuda},
                                     {"simd", Target::kSimd}}) {
    absl::StatusOr<std::vector<Rule>> rules = ParseTensorOverrides(std::string("exps=") + word);
    ASSERT_TRUE(rules.ok()) << rules.status();
    EXPECT_EQ((*rules)[0].targets[0], target) << word;
  }
}

TEST(TensorOverrides, SayWhatIsWrong) {
  EXPECT_THAT(ParseTensorOverrides("ffn").status().ToString(), HasSubstr("expected RE=TARGET"));
  EXPECT_THAT(ParseTensorOverrides("=cpu").status().ToString(), HasSubstr("expected RE=TARGET"));
  EXPECT_THAT(
      ParseTensorOverrides("ffn=SYCL0").status().ToString(),
      HasSubstr("unknown target 'sycl0'; known targets: scalar, simd, parallel, metal, cuda; "
                "CPU stands for parallel, GPU and MTL0 for metal, CUDA0 for cuda"));
  EXPECT_THAT(ParseTensorOverrides("(ffn=cpu").status().ToString(), HasSubstr("is invalid"));
  EXPECT_THAT(ParseTensorOverrides("(ffn=cpu").status().ToString(), Not(HasSubstr("stands for")));
}

TEST(GpuLayers, AreTheLastOnesAndTheOutput) {
  std::vector<Rule> rules = LastLayersOnGpu(2, 28);
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].layer, (Bounds{26, std::nullopt}));
  EXPECT_EQ(rules[1].scope, "output/*");
  for (const Rule& rule : rules) {
    EXPECT_TRUE(rule.is_override);
    EXPECT_THAT(rule.targets, ElementsAre(Target::kMetal, Target::kCuda, Target::kParallel,
                                          Target::kSimd, Target::kScalar));
  }
  EXPECT_EQ(LastLayersOnGpu(99, 28)[0].layer.min, 0);
  EXPECT_THAT(LastLayersOnGpu(0, 28), IsEmpty());
}

TEST(CpuMoe, KeepsTheExpertsOfTheFirstLayersOnTheCpu) {
  std::vector<Rule> rules = ExpertsOnCpu(3);
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_EQ(rules[0].name, "n-cpu-moe 3");
  EXPECT_EQ(rules[0].node, "*_exps.weight");
  EXPECT_EQ(rules[0].layer, (Bounds{std::nullopt, 2}));
  EXPECT_TRUE(rules[0].is_override);
  EXPECT_THAT(rules[0].targets, ElementsAre(Target::kParallel, Target::kSimd, Target::kScalar));
  EXPECT_THAT(ExpertsOnCpu(0), IsEmpty());
}

TEST(CpuMoe, KeepsTheExpertsOfAllLayersOnTheCpu) {
  const Rule rule = AllExpertsOnCpu();
  EXPECT_EQ(rule.name, "cpu-moe");
  EXPECT_EQ(rule.node, "*_exps.weight");
  EXPECT_EQ(rule.layer, Bounds{});
  EXPECT_TRUE(rule.is_override);
  EXPECT_THAT(rule.targets, ElementsAre(Target::kParallel, Target::kSimd, Target::kScalar));
}

}  // namespace
}  // namespace infer
