// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of the target `metal` through the back end, against the scalar kernels: on the
// software device with the threads of a group in three orders, or on the GPU of a Mac.
#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include "backends/metal/metal_backend.h"
#include "backends/metal/plan.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "tests/backends/conformance/compare.h"
#include "tests/backends/metal/case_memory.h"
#include "tests/backends/metal/edge_cases.h"
#ifdef INFER_TEST_EMULATION
#include "tests/metal_emulation/emulation.h"
#endif

namespace infer::metal {
namespace {

using conformance::CaseData;
using conformance::CaseResult;
using conformance::ConformanceCase;
using conformance::MakeNode;
using conformance::Values;

#ifdef INFER_TEST_EMULATION
constexpr bool kEmulated = true;

// Threads, groups and dispatches without a barrier between them in this order.
enum class Order { kForward, kReverse, kShuffled };
constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kShuffled};

class WithOrder {
 public:
  explicit WithOrder(Order order) : settings_(Changed(static_cast<emulation::Order>(order))) {}
  ~WithOrder() { EXPECT_THAT(emulation::TakeProblems(), testing::IsEmpty()); }

 private:
  static emulation::Settings Changed(emulation::Order order) {
    emulation::Settings settings = emulation::settings();
    settings.order = order;
    settings.dispatch_order = order;
    settings.workers = 1;  // a test of small shapes: threads cost more than they bring
    return settings;
  }
  emulation::ScopedSettings settings_;
};
#else
constexpr bool kEmulated = false;
enum class Order { kDevice };
constexpr Order kOrders[] = {Order::kDevice, Order::kDevice};  // the second may be in place
class WithOrder {
 public:
  explicit WithOrder(Order) {}
};
#endif

const Backend& Metal() {
  static const std::unique_ptr<Backend> backend = MakeMetalBackend({.emulated = kEmulated});
  return *backend;
}

bool Takes(const KernelInfo& kernel, const ConformanceCase& c) {
  Graph graph;
  return kernel.op == c.op && kernel.accepts(*MakeNode(c, &graph)).accepted();
}

// Those that a kernel of the target takes.
std::vector<ConformanceCase> Cases() {
  std::vector<ConformanceCase> cases = conformance::AllCases();
  const std::vector<ConformanceCase> edges = EdgeCases();
  cases.insert(cases.end(), edges.begin(), edges.end());
  std::erase_if(cases, [](const ConformanceCase& c) {
    return std::ranges::none_of(MetalKernels(),
                                [&](const MetalKernel& kernel) { return Takes(kernel.info, c); });
  });
  return cases;
}

CaseResult RunOnMetal(const ConformanceCase& c, const CaseData& data, const Node& node,
                      const KernelInfo& kernel, Place place) {
  const CaseMemory memory(c, data, node, place);
  absl::StatusOr<std::unique_ptr<DeviceMemory>> mapped = Metal().Map(memory.spans());
  EXPECT_TRUE(mapped.ok()) << mapped.status();
  if (!mapped.ok()) return memory.Result();
  const PreparedStep step = {
      .node = &node, .kernel = std::string(kernel.name), .args = &memory.args()};
  absl::StatusOr<std::unique_ptr<CompiledSegment>> segment =
      Metal().Prepare({step}, {.device = mapped->get()});
  EXPECT_TRUE(segment.ok()) << segment.status();
  if (!segment.ok()) return memory.Result();
  const absl::Status status = (*segment)->Run({});
  EXPECT_TRUE(status.ok()) << status;
  return memory.Result();
}

const KernelInfo& FindKernelOf(const OpDef& op) {
  return std::ranges::find(MetalKernels(), &op, [](const MetalKernel& k) { return k.info.op; })
      ->info;
}

class MetalConformance : public testing::TestWithParam<ConformanceCase> {
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
  const Node* node = MakeNode(c, &graph);
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

INSTANTIATE_TEST_SUITE_P(AllOps, MetalConformance, testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

// A row with nothing visible, which no case has, is all zeros.
TEST(MetalSoftmax, NothingVisibleWeighsNothing) {
  const std::string why = Metal().WhyUnavailable(Target::kMetal);
  if (!why.empty()) GTEST_SKIP() << why;
  const ConformanceCase c = {.name = "masked",
                             .op = &ops::kSoftmax,
                             .args = {conformance::Rows({Symbol::kT, 300})},
                             .sequences = {{0, 2}}};
  Graph graph;
  const Node* node = MakeNode(c, &graph);
  CaseData data(c);
  std::vector<float> x = data.inputs[0].tensor.floats();
  std::fill_n(x.begin(), 300, -std::numeric_limits<float>::infinity());
  data.inputs[0].tensor = F32Tensor({Symbol::kT, 300}, x);
  const KernelInfo& kernel = FindKernelOf(ops::kSoftmax);
  const CaseResult found = RunOnMetal(c, data, *node, kernel, Place::kApart);
  EXPECT_EQ(found.tensors[0].floats()[299], 0.0f);
  conformance::ExpectConforms(c, data, kernel, found, conformance::RunReference(c, data));
}

TEST(MetalConformanceCoverage, EveryKernelHasACase) {
  std::set<std::string_view> without;
  for (const MetalKernel& kernel : MetalKernels()) without.insert(kernel.info.name);
  for (const ConformanceCase& c : Cases()) {
    for (const MetalKernel& kernel : MetalKernels()) {
      if (Takes(kernel.info, c)) without.erase(kernel.info.name);
    }
  }
  EXPECT_THAT(without, testing::IsEmpty());
}

}  // namespace
}  // namespace infer::metal
