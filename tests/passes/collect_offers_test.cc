// SPDX-License-Identifier: Apache-2.0
#include "passes/collect_offers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "ir/text/parser.h"
#include "tests/support/fake_catalog.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using testing::FakeCatalog;
using testing::GraphOf;
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

struct CollectOffersTest : ::testing::Test {
  void Collect() {
    program.regimes.clear();
    program.regimes.push_back({1, 8, GraphOf(kNodes)});
    for (Node* node : program.regimes[0].graph.nodes()) {
      if (IsExecuted(*node)) node->set_placement(Placement());
    }
    EXPECT_EQ(CollectOffers(catalog, &program), absl::OkStatus());
  }
  std::vector<std::string> NamesOf(const Offer& offer) const {
    std::vector<std::string> names;
    for (int32_t kernel : offer.kernels) names.push_back(program.kernels[kernel].name);
    return names;
  }
  const Offer& OfferOf(size_t node) const {
    return program.offers[program.regimes[0].offers.at(node)];
  }

  FakeCatalog catalog;
  Program program;
};

TEST_F(CollectOffersTest, KeepsTheKernelsOfEveryTargetWithTheirRows) {
  catalog.LimitRows("linear", Target::kSimd, {2, 6}).Add("linear", Target::kMetal);
  Collect();
  ASSERT_THAT(NamesOf(OfferOf(0)), ElementsAre("linear_scalar", "linear_simd", "linear_metal"));
  EXPECT_EQ(OfferOf(0).rows, Dim(Symbol::kT));
  EXPECT_EQ(program.kernels[OfferOf(0).kernels[1]],
            (OfferedKernel{"linear_simd", "linear", Target::kSimd, 2, 6}));
  EXPECT_EQ(program.kernels[OfferOf(0).kernels[2]],
            (OfferedKernel{"linear_metal", "linear", Target::kMetal, 1, kUnlimited}));
}

TEST_F(CollectOffersTest, StoresEqualAnswersOnce) {
  Collect();
  const std::vector<int32_t>& of = program.regimes[0].offers;
  ASSERT_THAT(of, SizeIs(4));
  EXPECT_EQ(of[0], of[1]);
  EXPECT_NE(of[0], of[2]);
}

TEST_F(CollectOffersTest, LeavesOutTargetsThatAreNotThere) {
  catalog.Add("linear", Target::kMetal).SetUnavailable(Target::kMetal, "no GPU");
  Collect();
  EXPECT_THAT(NamesOf(OfferOf(0)), ElementsAre("linear_scalar"));
}

TEST_F(CollectOffersTest, TakesCompositeOpsApart) {
  Collect();
  const Offer& norm = OfferOf(3);
  EXPECT_THAT(norm.kernels, IsEmpty());
  ASSERT_FALSE(norm.parts.empty());
  for (int32_t part : norm.parts) {
    EXPECT_LT(part, program.regimes[0].offers[3]);
    EXPECT_THAT(program.offers[part].kernels, SizeIs(1)) << "each primitive has a scalar kernel";
  }
}

}  // namespace
}  // namespace infer
