// SPDX-License-Identifier: Apache-2.0
//
// The planned graphs of a two-layer toy model, one for each regime, as files to be read and to be
// reviewed as a diff. INFER_UPDATE_GOLDENS=1 writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "frontends/gguf/weights.h"
#include "frontends/qwen3/lower.h"
#include "ir/base/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/compile.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tests/support/check_memory_plan.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::FakeCatalog;
using test::MemoryPlanError;
using test::RuleFor;

// Whole composite ops on scalar and simd, but scalar has none for attention_inputs, which legalize
// takes apart there; parallel knows projections only.
FakeCatalog Catalog() {
  FakeCatalog catalog;
  for (std::string_view op : {"add_rms_norm", "attention", "linear", "multi_linear", "rms_norm",
                              "swiglu", "qk_norm_rope"}) {
    catalog.Add(op, Target::kScalar).Add(op, Target::kSimd);
  }
  catalog.Add("attention_inputs", Target::kSimd);
  for (std::string_view op : {"linear", "multi_linear"}) {
    catalog.Add(op, Target::kParallel);
  }
  return catalog.SetWorkspace("attention", Target::kSimd, 192);
}

// Cuts 1..16 tokens at 4 and at 8.
Policy ThreeRegimes() {
  Policy policy;
  policy.name = "three-regimes";
  Rule many = RuleFor("many-rows", {Target::kParallel, Target::kSimd, Target::kScalar});
  many.rows.min = 8;
  Rule some = RuleFor("some-rows", {Target::kSimd, Target::kScalar});
  some.rows.min = 4;
  policy.rules = {many, some, RuleFor("few-rows", {Target::kScalar})};
  return policy;
}

absl::StatusOr<Program> CompileToyModel() {
  test::ToyShape shape;
  shape.layers = 2;
  const test::OpenedImage image(test::ToyModel(shape));
  GgufWeights weights(image.file);
  absl::StatusOr<Qwen3Config> config = ReadQwen3Config(*image.file);
  if (!config.ok()) return config.status();
  absl::StatusOr<Graph> graph = LowerQwen3(*config, weights, {});
  if (!graph.ok()) return graph.status();
  CompileOptions options;
  options.policy = ThreeRegimes();
  options.symbols[Symbol::kT] = {1, 16};
  options.symbols[Symbol::kR] = {1, 1};
  options.symbols[Symbol::kS] = {1, 32};
  options.hash = HashMode::kNone;
  return CompileProgram(*std::move(graph), weights, Catalog(), options);
}

std::string PathOf(const Regime& regime) {
  return StrCat(INFER_TEST_DATA "/golden/qwen3_toy_", regime.min_tokens, "_to_", regime.max_tokens,
                ".graph");
}

TEST(Golden, PlannedGraphsOfTheToyModel) {
  absl::StatusOr<Program> program = CompileToyModel();
  ASSERT_TRUE(program.ok()) << program.status();
  ASSERT_EQ(program->regimes.size(), 3u);
  EXPECT_EQ(program->regimes[1].min_tokens, 4);
  EXPECT_EQ(program->regimes[2].min_tokens, 8);
  for (const Regime& regime : program->regimes) {
    std::string text = PrintGraph(regime.graph);
    EXPECT_EQ(MemoryPlanError(regime.graph), "") << text;
    if (std::getenv("INFER_UPDATE_GOLDENS") != nullptr) std::ofstream(PathOf(regime)) << text;
    std::ifstream file(PathOf(regime));
    std::string golden{std::istreambuf_iterator<char>(file), {}};
    EXPECT_TRUE(text == golden) << PathOf(regime) << " is not what the passes make now; run with "
                                << "INFER_UPDATE_GOLDENS=1 and read the difference";
    absl::StatusOr<Graph> parsed = ParseGraph(golden);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(PrintGraph(*parsed), golden);
  }
}

}  // namespace
}  // namespace infer
