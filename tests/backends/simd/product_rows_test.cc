// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/product_rows.h"

#include <set>

#include "backends/simd/levels/choose_level.h"
#include "gtest/gtest.h"
#include "ir/ops/ops.h"
#include "ir/text/parser.h"

namespace infer::simd {
namespace {

struct Example {
  static constexpr NamePart kName = "example";
  static constexpr const OpDef* kOp = &ops::kLinear;
  static Decision Accepts(const Node&) { return Decision::Reject("never"); }
  template <LinearKind kKind>
  static constexpr CpuKernel Row(std::string_view name, const OpDef* op,
                                 Decision (*accepts)(const Node&)) {
    return {.info = {.name = name, .op = op, .target = Target::kSimd, .accepts = accepts},
            .run = nullptr};
  }
};

constexpr auto kRows = ProductRows<Example>();

TEST(ProductRows, AreFourOfEachWeightType) {
  std::set<std::string_view> names;
  for (const CpuKernel& row : kRows) names.insert(row.info.name);
  EXPECT_EQ(names.size(), 4 * std::size(formats::kWeightTypes));
  for (const char* name : {"example_q8_0_tiles_simd", "example_q8_0_simd", "example_q4_k_rows_simd",
                           "example_f32_float_simd"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
  EXPECT_EQ(Joined(kRows, kRows).size(), 2 * kRows.size());
}

TEST(ProductRows, AskForTheTypeThenForTheRest) {
  if (ChosenLevel().level == nullptr) GTEST_SKIP() << ChosenLevel().reason;
  const auto graph = ParseGraph(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
        %w = weight() {name = "w"} : q8_0[32,64]
        %y = linear(%x, %w) : f32[T,32] in "y"
        return %y
      })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Node& node = *graph->nodes().back();
  const auto reason = [&](std::string_view name) {
    for (const CpuKernel& row : kRows) {
      if (row.info.name == name) return row.info.accepts(node).reason();
    }
    return std::string("no such kernel");
  };
  EXPECT_EQ(reason("example_q4_0_simd"), "weight is q8_0; this kernel reads q4_0");
  EXPECT_EQ(reason("example_q8_0_simd"), "never");
  EXPECT_EQ(reason("example_q8_0_float_simd"), "never");
}

TEST(ProductRows, FloatProductsReadTheFile) {
  EXPECT_EQ(LayoutOf(LinearKind::kFloat), nullptr);
  EXPECT_NE(LayoutOf(LinearKind::kFast), LayoutOf(LinearKind::kInvariant));
}

}  // namespace
}  // namespace infer::simd
