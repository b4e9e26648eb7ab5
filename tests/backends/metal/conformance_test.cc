// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of the target `metal` through the back end, against the scalar kernels: on the
// software device with the threads of a group in three orders, or on the GPU of a Mac.
#include <algorithm>
#include <set>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/backends/conformance/compare.h"
#include "tests/backends/metal/case_runner.h"
#include "tests/backends/metal/edge_cases.h"

namespace infer::metal {
namespace {

using conformance::CaseData;
using conformance::CaseResult;
using conformance::ConformanceCase;
using conformance::Values;

// Those that a kernel of the target takes.
std::vector<ConformanceCase> Cases() {
  std::vector<ConformanceCase> cases = conformance::AllCases();
  for (const std::vector<ConformanceCase>& more : {EdgeCases(), CasesOfEveryKernel()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  std::erase_if(cases, [](const ConformanceCase& c) {
    return std::ranges::none_of(MetalKernels(),
                                [&](const MetalKernel& kernel) { return Takes(kernel.info, c); });
  });
  return cases;
}

class MetalConformance : public ::testing::TestWithParam<ConformanceCase> {
 protected:
  void SetUp() override {
    const std::string why = Metal().WhyUnavailable(Target::kMetal);
    ASSERT_TRUE(!kEmulated || why.empty()) << why;
    if (!why.empty()) GTEST_SKIP() << why;
    // MSL lets a GPU flush them.
    if (!kEmulated && GetParam().values == Values::kSubnormal) GTEST_SKIP() << "subnormal numbers";
  }
};

TEST_P(MetalConformance, AgreesWithScalar) {
  const ConformanceCase& c = GetParam();
  Graph graph;
  const Node* node = conformance::MakeNode(c, &graph);
  ASSERT_NE(node, nullptr);
  for (const KernelInfo& kernel : Metal().kernels()) {
    if (kernel.op != c.op || !kernel.accepts(*node).accepted()) continue;
    SCOPED_TRACE(kernel.name);
    const CaseData data(c);
    const CaseResult expected = conformance::RunReference(c, data);
    const bool can_be_in_place = node->op().traits.in_place_input >= 0;
    Place place = Place::kApart;
    for (Order order : kOrders) {
      SCOPED_TRACE(static_cast<int>(order));
      const WithOrder scope(order);
      conformance::ExpectConforms(c, data, kernel, RunOnMetal(c, data, *node, kernel, place),
                                  expected);
      if (can_be_in_place) place = Place::kInPlace;  // from the second order on
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllOps, MetalConformance, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(MetalConformanceCoverage, EveryKernelHasACaseAtEveryEdge) {
  for (const MetalKernel& kernel : MetalKernels()) {
    std::set<int64_t> rows;
    for (const ConformanceCase& c : CasesOfEveryKernel()) {
      if (Takes(kernel.info, c)) rows.insert(RowsOfCase(c));
    }
    EXPECT_THAT(rows, ::testing::IsSupersetOf(kEdgeRows)) << kernel.info.name;
  }
}

}  // namespace
}  // namespace infer::metal
