// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of a target against the scalar kernels. The target's level is that of the CPU, or
// the one that INFER_CPU names; ctest runs this once for each.
#include <algorithm>
#include <set>
#include <string>

#include "backends/simd/kernels.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/weight_layouts.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "tests/backends/conformance/compare.h"

namespace infer::conformance {
namespace {

// A target under test. Add a line for each new one.
struct TargetTable {
  std::string_view name;
  std::span<const CpuKernel> (*kernels)();
  std::span<const WeightLayout> (*layouts)();
};
constexpr TargetTable kTargets[] = {{"simd", SimdKernels, simd::WeightLayouts}};

bool Takes(const CpuKernel& kernel, const ConformanceCase& c, const Node& node) {
  return kernel.info.op == c.op && kernel.info.accepts(node).accepted();
}

class Conformance : public ::testing::TestWithParam<ConformanceCase> {
 protected:
  void SetUp() override {
    if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  }
};

TEST_P(Conformance, AgreesWithScalar) {
  const ConformanceCase& c = GetParam();
  Graph graph;
  const Node* node = MakeNode(c, &graph);
  ASSERT_NE(node, nullptr);
  std::optional<CaseData> data;
  std::optional<CaseResult> expected;
  for (const TargetTable& target : kTargets) {
    for (const CpuKernel& kernel : target.kernels()) {
      if (!Takes(kernel, c, *node)) continue;
      if (!data) {
        data.emplace(c);
        expected = RunReference(c, *data);
      }
      SCOPED_TRACE(kernel.info.name);
      ExpectConforms(c, *data, kernel.info,
                     RunKernel(c, *data, target.kernels(), kernel, target.layouts()), *expected);
    }
  }
  if (!data)
    GTEST_SKIP() << "no kernel of level " << simd::ChosenLevel().level->name << " takes it";
}

INSTANTIATE_TEST_SUITE_P(AllOps, Conformance, ::testing::ValuesIn(AllCases()),
                         [](const ::testing::TestParamInfo<ConformanceCase>& test) {
                           return test.param.name;
                         });

// Kernels that accept no node of their op at this level have nothing to test: that is a type that
// the level has no product for.
bool AcceptsSomething(const CpuKernel& kernel) {
  static const std::vector<ConformanceCase> cases = AllCases();
  for (const ConformanceCase& c : cases) {
    if (kernel.info.op != c.op) continue;
    Graph graph;
    const Node* node = MakeNode(c, &graph);
    if (node != nullptr && kernel.info.accepts(*node).accepted()) return true;
  }
  return false;
}

// Every op of a table has cases, and a kernel is left out only because its level cannot run it.
TEST(ConformanceCoverage, EveryKernelHasACase) {
  if (simd::ChosenLevel().level == nullptr) GTEST_SKIP() << simd::ChosenLevel().reason;
  std::set<std::string> without;
  for (const TargetTable& target : kTargets) {
    for (const CpuKernel& kernel : target.kernels()) {
      if (!AcceptsSomething(kernel)) without.insert(std::string(kernel.info.name));
    }
  }
  for (const std::string& name : without) {
    const bool product = name.starts_with("linear_") || name.starts_with("multi_linear_") ||
                         name.starts_with("expert_");
    const simd::Level& level = *simd::ChosenLevel().level;
    const bool attention =
        name.starts_with("attention_") &&
        (level.attention == nullptr ||
         (name.find("_invariant_") != std::string::npos && level.attention_invariant == nullptr));
    EXPECT_TRUE(product || attention) << name << " is run by no case of tests/backends/conformance";
  }
}

TEST(ConformanceCoverage, CaseNamesAreUnique) {
  std::set<std::string> seen;
  for (const ConformanceCase& c : AllCases()) EXPECT_TRUE(seen.insert(c.name).second) << c.name;
}

}  // namespace
}  // namespace infer::conformance
