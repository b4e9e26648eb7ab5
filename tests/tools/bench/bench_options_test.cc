// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

absl::Status Parse(const std::vector<std::string>& args, BenchOptions* options) {
  Flags flags("infer-bench", "");
  RegisterFlags(flags, options);
  absl::StatusOr<ParseAction> action =
      flags.Parse(args, [](const std::string&) { return std::nullopt; });
  if (!action.ok()) return action.status();
  return Complete(flags, options);
}

std::string Refusal(const std::vector<std::string>& args) {
  BenchOptions options;
  absl::Status status = Parse(args, &options);
  EXPECT_EQ(ExitCodeFor(status), kExitUsage);
  return std::string(ToStd(status.message()));
}

std::vector<std::vector<int64_t>> TestsOf(const std::vector<std::string>& args) {
  BenchOptions options;
  EXPECT_EQ(Parse(args, &options), absl::OkStatus());
  std::vector<std::vector<int64_t>> tests;
  for (const BenchTest& test : options.tests) {
    tests.push_back({test.prompt, test.generated, test.depth});
  }
  return tests;
}

using Counts = std::vector<int64_t>;

TEST(BenchOptions, DefaultsAreThoseOfLlamaBench) {
  EXPECT_THAT(TestsOf({}), ElementsAre(Counts{512, 0, 0}, Counts{0, 128, 0}));
}

TEST(BenchOptions, ListsMultiply) {
  EXPECT_THAT(TestsOf({"-p", "2,4", "-n", "8", "-d", "0,16", "-pg", "3,5"}),
              ElementsAre(Counts{2, 0, 0}, Counts{4, 0, 0}, Counts{0, 8, 0}, Counts{3, 5, 0},
                          Counts{2, 0, 16}, Counts{4, 0, 16}, Counts{0, 8, 16}, Counts{3, 5, 16}));
}

TEST(BenchOptions, ZeroLeavesOut) {
  EXPECT_THAT(TestsOf({"-n", "0"}), ElementsAre(Counts{512, 0, 0}));
}

TEST(BenchOptions, ReadsThePercentageAndThePolicies) {
  BenchOptions options;
  ASSERT_EQ(Parse({"--threshold", "2.5%", "--policy", "scalar,reference"}, &options),
            absl::OkStatus());
  EXPECT_DOUBLE_EQ(options.threshold, 0.025);
  EXPECT_THAT(options.policies, ElementsAre("scalar", "reference"));
}

TEST(BenchOptions, ThreadsAreAListAndZeroIsAChoice) {
  BenchOptions options;
  ASSERT_EQ(Parse({"-t", "1,2,0", "--threads-by", "tbb"}, &options), absl::OkStatus());
  EXPECT_THAT(options.threads, ElementsAre(1, 2, ReadThreadLimits().Count()));
  EXPECT_EQ(options.model.threads.by, ThreadsBy::kTbb);
}

TEST(BenchOptions, RefusesWhatCannotBeMeasured) {
  EXPECT_THAT(Refusal({"-t", "1,513"}), HasSubstr("at most 512"));
  EXPECT_THAT(Refusal({"-t", "many"}), HasSubstr("-t"));
  EXPECT_THAT(Refusal({"-p", "0", "-n", "0"}), HasSubstr("nothing to measure"));
  EXPECT_THAT(Refusal({"-pg", "512"}), HasSubstr("expected two"));
  EXPECT_THAT(Refusal({"-ub", "0"}), HasSubstr("0 is below 1"));
  EXPECT_THAT(Refusal({"--threshold", "lots"}), HasSubstr("not a percentage"));
  EXPECT_THAT(Refusal({"--threshold", "100%"}), HasSubstr("not a percentage"));
}

TEST(OpOptions, ShapesMultiply) {
  BenchOptions options;
  ASSERT_EQ(Parse({"op", "--m", "1,8", "--n", "64", "--k", "256", "--type", "q8_0,q4_k", "--target",
                   "scalar,simd"},
                  &options),
            absl::OkStatus());
  ASSERT_EQ(options.op.shapes.size(), 4u);
  EXPECT_EQ(options.op.shapes[1].rows, 8);
  EXPECT_EQ(options.op.shapes[2].type, DType::kQ4_K);
  EXPECT_THAT(options.op.targets, ElementsAre(Target::kScalar, Target::kSimd));
}

TEST(OpOptions, AllTargetsAtOnce) {
  BenchOptions options;
  ASSERT_EQ(Parse({"op", "--device", "all"}, &options), absl::OkStatus());
  EXPECT_THAT(options.op.targets, ElementsAreArray(kUserTargets));
}

TEST(OpOptions, ACacheIsF16UnlessSaid) {
  BenchOptions options;
  ASSERT_EQ(Parse({"op", "--op", "attention"}, &options), absl::OkStatus());
  EXPECT_EQ(options.op.shapes[0].type, DType::kF16);
}

TEST(OpOptions, RefusesShapesThatNoKernelHas) {
  EXPECT_THAT(Refusal({"op", "--k", "40"}), HasSubstr("must be a multiple of 32"));
  EXPECT_THAT(Refusal({"op", "--type", "q8_9"}), HasSubstr("did you mean q8_0"));
  EXPECT_THAT(Refusal({"op", "--target", "gpu"}), HasSubstr("known targets: scalar, simd"));
  EXPECT_THAT(Refusal({"op", "--op", "attention", "--heads", "3", "--kv-heads", "2"}),
              HasSubstr("not a multiple"));
  EXPECT_THAT(Refusal({"op", "--op", "linaer"}), HasSubstr("linear"));
}

}  // namespace
}  // namespace infer
