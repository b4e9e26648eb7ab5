// SPDX-License-Identifier: Apache-2.0
//
// Every kernel of the target `cuda` through the back end, against the scalar kernels: on the
// stand-in with threads in three orders, or on the card of this machine.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "backends/cuda/launch.h"
#include "backends/cuda/weight_types.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/ops/rope_attrs.h"
#include "tests/backends/conformance/compare.h"
#include "tests/backends/cuda/case_runner.h"
#include "tests/backends/metal/edge_cases.h"
#ifdef INFER_TEST_EMULATION
#include "tests/cuda_emulation/stand_in_driver.h"
#endif

namespace infer::cuda {

namespace {

using conformance::CaseData;
using conformance::CaseResult;
using conformance::ConformanceCase;
using conformance::Values;

#ifdef INFER_TEST_EMULATION
using emulation::Order;
constexpr Order kOrders[] = {Order::kForward, Order::kReverse, Order::kShuffled};
void SetOrder(Order order) { cuda_emulation::SetSettings({.order = order}); }
std::vector<std::string> Faults() { return cuda_emulation::TakeFaults(); }
#else
enum class Order { kDevice };
constexpr Order kOrders[] = {Order::kDevice, Order::kDevice};  // the second may be in place
void SetOrder(Order) {}
std::vector<std::string> Faults() { return {}; }
#endif

// Ops that are joined for this target. `inner` and `outputs` decide how a row is streamed.
void AddFusedProducts(DType type, int32_t tokens, int64_t inner, int64_t outputs,
                      std::vector<ConformanceCase>& cases, Values values = Values::kPlain) {
  const std::string suffix = StrCat(Name(type), "_", tokens, "x", inner, "x", outputs,
                                    values == Values::kPlain ? "" : "_", NameOf(values));
  const conformance::Arg x = conformance::Rows({Symbol::kT, inner});
  const conformance::Arg norm = conformance::Norm(inner);
  const conformance::Arg weight = conformance::Weight(type, outputs, inner);
  cases.push_back({.name = "cuda_norm_linear_" + suffix,
                   .op = &ops::kNormLinear,
                   .args = {x, norm, weight, conformance::Weight(type, outputs / 2, inner)},
                   .attrs = {1e-6},
                   .sequences = {{0, tokens}},
                   .values = values});
  cases.push_back({.name = "cuda_norm_swiglu_" + suffix,
                   .op = &ops::kNormSwiglu,
                   .args = {x, norm, weight, weight},
                   .attrs = {1e-6},
                   .sequences = {{0, tokens}},
                   .values = values});
  cases.push_back({.name = "cuda_linear_add_" + suffix,
                   .op = &ops::kLinearAdd,
                   .args = {x, weight, conformance::Rows({Symbol::kT, outputs})},
                   .sequences = {{0, tokens}},
                   .values = values});
}

void AddFusedCases(std::vector<ConformanceCase>& cases) {
  for (const WeightType& type : kWeightTypes) {
    for (int32_t tokens : {1, 3, 9}) AddFusedProducts(type.dtype, tokens, 512, 70, cases);
    // Several pieces of a row, the last one not whole.
    AddFusedProducts(type.dtype, 1, 5 * 32 * type.unit_elements - 256, 34, cases);
    // A row that is one piece of another shape.
    const int64_t least = type.unit_elements == 32 ? 1 : 2;
    AddFusedProducts(type.dtype, 1, 3 * least * 32 * type.unit_elements, 34, cases);
  }
  // As many outputs as fill a card: several rows of a piece, and several pieces of a warp.
  for (DType type : {DType::kQ8_0, DType::kF16, DType::kQ6_K}) {
    const WeightType& record = *FindWeight(type);
    const int64_t least = (record.unit_elements == 32 ? 1 : 2) * 32 * record.unit_elements;
    AddFusedProducts(type, 1, least, 3200, cases);
    AddFusedProducts(type, 1, 2 * least, 1664, cases);
  }
  AddFusedProducts(DType::kF16, 1, 1024, 1000, cases);  // two rows of gate and up, not four
  AddFusedProducts(DType::kQ8_0, 1, 64, 9000, cases);
  AddFusedProducts(DType::kQ4_K, 1, 256, 9000, cases);
  // Scales cannot be copied in pairs.
  AddFusedProducts(DType::kQ8_0, 1, 96, 34, cases);
  for (Values values : {Values::kLarge, Values::kZero, Values::kOutlier, Values::kUneven,
                        Values::kNan, Values::kInf}) {
    AddFusedProducts(DType::kQ8_0, 1, 512, 34, cases, values);
  }
  for (DType type : {DType::kF32, DType::kF16, DType::kQ8_0}) {
    for (int64_t head_dim : {64, 128}) {
      for (int64_t heads : {2, 4, 16}) {
        for (auto [history, tokens] : {std::pair{0, 1},
                                       {1, 1},
                                       {63, 1},
                                       {64, 1},
                                       {127, 1},
                                       {128, 1},
                                       {300, 1},
                                       {700, 1},
                                       {40, 3},
                                       {5, 20}}) {
          if (heads != 4 && history != 63 && history != 300) continue;
          std::vector<Attr> attrs = {1 / std::sqrt(static_cast<double>(head_dim))};
          const ops::RopeParams rope = {.base = 1e6, .adjacent = heads == 2};
          for (const Attr& attr : ops::NormRopeAttrs(1e-6, rope)) attrs.push_back(attr);
          const conformance::Arg kv = conformance::Rows({Symbol::kT, 2 * head_dim});
          cases.push_back({.name = StrCat("cuda_self_attention_", Name(type), "_", heads, "x",
                                          head_dim, "_", history, "_", tokens),
                           .op = &ops::kSelfAttention,
                           .args = {conformance::Cache(type, 2, head_dim),
                                    conformance::Rows({Symbol::kT, heads * head_dim}), kv, kv,
                                    conformance::Norm(head_dim), conformance::Norm(head_dim),
                                    conformance::BatchArg()},
                           .attrs = std::move(attrs),
                           .sequences = {{history, tokens}},
                           .block_positions = heads == 4 ? 48 : 16});
        }
      }
    }
  }
}

// A row for one block, and one in two parts, the second of them shorter than the first.
void AddTopKCases(std::vector<ConformanceCase>& cases) {
  for (int64_t columns : {64, 5001}) {
    for (int64_t k : {1, 20, 64}) {
      for (Values values : {Values::kPlain, Values::kZero, Values::kUneven, Values::kTiny,
                            Values::kNan, Values::kInf}) {
        cases.push_back({.name = StrCat("cuda_top_k_", columns, "_", k, "_", NameOf(values)),
                         .op = &ops::kTopK,
                         .args = {conformance::Rows({Symbol::kT, columns})},
                         .attrs = {k, false},
                         .sequences = {{0, 3}},
                         .values = values});
      }
    }
  }
}

// Where the kernels of this target change: rows in registers, tiles, parts of a history.
std::vector<ConformanceCase> OwnCases() {
  std::vector<ConformanceCase> cases;
  AddFusedCases(cases);
  AddTopKCases(cases);
  for (DType type : {DType::kF16, DType::kBF16, DType::kQ8_0, DType::kQ4_0, DType::kQ4_K,
                     DType::kQ5_K, DType::kQ6_K}) {
    for (int32_t tokens : {1, 2, 3, 5, 8, 9, 33, 65}) {
      for (int64_t inner : {256, 1536}) {
        if (inner > 256 && tokens > 9) continue;
        cases.push_back(
            {.name = StrCat("cuda_linear_", Name(type), "_", tokens, "x", inner),
             .op = &ops::kLinear,
             .args = {conformance::Rows({Symbol::kT, inner}), conformance::Weight(type, 70, inner)},
             .sequences = {{0, tokens}}});
      }
    }
  }
  for (const WeightType& type : kWeightTypes) {
    cases.push_back({.name = StrCat("cuda_embed_", type.name),
                     .op = &ops::kEmbed,
                     .args = {conformance::Weight(type.dtype, 9, 512), conformance::Indices(9)},
                     .sequences = {{0, 5}}});
  }
  // Enough outputs for the largest tiles.
  cases.push_back({.name = "cuda_linear_many_outputs",
                   .op = &ops::kLinear,
                   .args = {conformance::Rows({Symbol::kT, 64}),
                            conformance::Weight(DType::kQ8_0, 132 * 64, 64)},
                   .sequences = {{0, 70}}});
  for (DType type : {DType::kF32, DType::kF16, DType::kQ8_0}) {
    for (int64_t head_dim : {64, 128}) {
      for (auto [history, tokens] :
           {std::pair{0, 1}, {31, 1}, {32, 2}, {700, 1}, {700, 3}, {5, 15}, {0, 16}, {70, 70}}) {
        if (tokens > 16 && head_dim == 64) continue;
        cases.push_back({.name = StrCat("cuda_attention_", Name(type), "_", head_dim, "_", history,
                                        "_", tokens),
                         .op = &ops::kAttention,
                         .args = {conformance::Rows({Symbol::kT, 4, head_dim}),
                                  conformance::Cache(type, 2, head_dim), conformance::BatchArg()},
                         .attrs = {1 / std::sqrt(static_cast<double>(head_dim))},
                         .sequences = {{history, tokens}},
                         .block_positions = 48});
      }
    }
  }
  // Sequences with few tokens around one with many.
  cases.push_back({.name = "cuda_attention_mixed",
                   .op = &ops::kAttention,
                   .args = {conformance::Rows({Symbol::kT, 8, 64}),
                            conformance::Cache(DType::kF16, 2, 64), conformance::BatchArg()},
                   .attrs = {0.125},
                   .sequences = {{40, 1}, {3, 2}, {10, 20}, {90, 1}},
                   .block_positions = 16});
  return cases;
}

// Those that a kernel of the target takes.
std::vector<ConformanceCase> Cases() {
  std::vector<ConformanceCase> cases = conformance::AllCases();
  for (const std::vector<ConformanceCase>& more : {metal::EdgeCases(), OwnCases()}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  std::erase_if(cases, [](const ConformanceCase& c) {
    return std::ranges::none_of(CudaKernels(),
                                [&](const CudaKernel& kernel) { return Takes(kernel.info, c); });
  });
  return cases;
}

class CudaConformance : public ::testing::TestWithParam<ConformanceCase> {
 protected:
  void SetUp() override {
    if (Cuda().backend == nullptr) GTEST_SKIP() << Cuda().why_not;
  }
};

// The orders of a case. Products and attention are most of the time: each of their cases has one
// order, and every kernel has cases enough for all three.
std::vector<Order> OrdersOf(const ConformanceCase& c) {
  const std::string_view family = c.op->family_name();
  const bool slow = family == "linear" || family == "attention";
  if (!slow) return {std::begin(kOrders), std::end(kOrders)};
  return {kOrders[std::hash<std::string>()(c.name) % std::size(kOrders)]};
}

TEST_P(CudaConformance, AgreesWithScalar) {
  const ConformanceCase& c = GetParam();
  Graph graph;
  const Node* node = conformance::MakeNode(c, &graph);
  ASSERT_NE(node, nullptr);
  for (const KernelInfo& kernel : Cuda().backend->kernels()) {
    if (kernel.op != c.op || !kernel.accepts(*node).accepted()) continue;
    SCOPED_TRACE(kernel.name);
    const CaseData data(c);
    const CaseResult expected = conformance::RunReference(c, data);
    const bool can_be_in_place = node->op().traits.in_place_input >= 0;
    Place place = Place::kApart;
    for (Order order : OrdersOf(c)) {
      SCOPED_TRACE(static_cast<int>(order));
      SetOrder(order);
      conformance::ExpectConforms(c, data, kernel, RunOnCuda(c, data, *node, kernel, place),
                                  expected);
      ASSERT_THAT(Faults(), ::testing::IsEmpty());
      if (can_be_in_place) place = Place::kInPlace;  // from the second order on
    }
  }
}

INSTANTIATE_TEST_SUITE_P(AllOps, CudaConformance, ::testing::ValuesIn(Cases()),
                         [](const auto& test) { return test.param.name; });

TEST(CudaConformanceCoverage, EveryKernelHasACase) {
  const std::vector<ConformanceCase> cases = Cases();
  for (const CudaKernel& kernel : CudaKernels()) {
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const ConformanceCase& c) {
      return Takes(kernel.info, c);
    })) << kernel.info.name;
  }
}

}  // namespace
}  // namespace infer::cuda
