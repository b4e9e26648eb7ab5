// SPDX-License-Identifier: Apache-2.0
#include "passes/collect_kernel_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/text/parser.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::FakeCatalog;
using test::GraphOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// Two equal layers, and what is outside of layers.
constexpr std::string_view kNodes = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..1) (%x: f32[T,4], %b: batch) {
      %w = weight() {name = "w"} : f32[4,4]
      %n = weight() {name = "n"} : f32[4]
      %a = linear(%x, %w) : f32[T,4] in "layer.0/a"
      %c = linear(%a, %w) : f32[T,4] in "layer.1/a"
      %r = select_rows(%c, %b) : f32[R,4]
      %m = rms_norm(%r, %n) {eps = 1e-06} : f32[R,4]
      return %m
    })";

struct CollectKernelChoicesTest : ::testing::Test {
  void Collect() {
    program.regimes.clear();
    program.regimes.push_back({1, 8, GraphOf(kNodes)});
    for (Node* node : program.regimes[0].graph.nodes()) {
      if (IsExecuted(*node)) node->set_placement(Placement());
    }
    EXPECT_EQ(CollectKernelChoices(catalog, &program), absl::OkStatus());
  }
  std::vector<std::string> NamesOf(const KernelChoice& choice) const {
    std::vector<std::string> names;
    for (int32_t kernel : choice.kernels) names.push_back(program.kernels[kernel].name);
    return names;
  }
  const KernelChoice& ChoiceOf(size_t node) const {
    return program.kernel_choices[program.regimes[0].kernel_choices.at(node)];
  }

  FakeCatalog catalog;
  Program program;
};

TEST_F(CollectKernelChoicesTest, KeepsTheKernelsOfEveryTargetWithTheirRows) {
  catalog.LimitRows("linear", Target::kSimd, {2, 6}).Add("linear", Target::kMetal);
  Collect();
  ASSERT_THAT(NamesOf(ChoiceOf(0)), ElementsAre("linear_scalar", "linear_simd", "linear_metal"));
  EXPECT_EQ(ChoiceOf(0).rows, Dim(Symbol::kT));
  EXPECT_EQ(program.kernels[ChoiceOf(0).kernels[1]],
            (KernelCandidate{"linear_simd", "linear", Target::kSimd, 2, 6}));
  EXPECT_EQ(program.kernels[ChoiceOf(0).kernels[2]],
            (KernelCandidate{"linear_metal", "linear", Target::kMetal, 1, kUnlimited}));
}

TEST_F(CollectKernelChoicesTest, StoresEqualAnswersOnce) {
  Collect();
  const std::vector<int32_t>& of = program.regimes[0].kernel_choices;
  ASSERT_THAT(of, SizeIs(4));
  EXPECT_EQ(of[0], of[1]);
  EXPECT_NE(of[0], of[2]);
}

TEST_F(CollectKernelChoicesTest, LeavesOutTargetsThatAreNotThere) {
  catalog.Add("linear", Target::kMetal).SetUnavailable(Target::kMetal, "no GPU");
  Collect();
  EXPECT_THAT(NamesOf(ChoiceOf(0)), ElementsAre("linear_scalar"));
}

TEST_F(CollectKernelChoicesTest, TakesCompositeOpsApart) {
  Collect();
  const KernelChoice& norm = ChoiceOf(3);
  EXPECT_THAT(norm.kernels, IsEmpty());
  ASSERT_FALSE(norm.parts.empty());
  for (int32_t part : norm.parts) {
    EXPECT_LT(part, program.regimes[0].kernel_choices[3]);
    EXPECT_THAT(program.kernel_choices[part].kernels, SizeIs(1))
        << "each primitive has a scalar kernel";
  }
}

}  // namespace
}  // namespace infer
