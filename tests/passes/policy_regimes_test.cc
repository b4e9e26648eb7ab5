// SPDX-License-Identifier: Apache-2.0
//
// The named policies on a two-layer model and a machine that has everything: which regimes there
// are, and that inside of one every T decides alike.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontends/gguf/weights.h"
#include "frontends/qwen3/lower.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "passes/compile.h"
#include "passes/cut_regimes.h"
#include "passes/passes.h"
#include "passes/policies.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::FakeCatalog;
using ::testing::ElementsAre;

constexpr int64_t kMaxTokens = 512;

// Primitive products and sums everywhere, whole composites on the vector targets.
FakeCatalog CatalogWithMetal() {
  FakeCatalog catalog;
  for (Target target : {Target::kSimd, Target::kParallel, Target::kMetal}) {
    for (std::string_view op : {"linear", "matmul", "row_sum_squares", "embed", "multi_linear",
                                "rms_norm", "add_rms_norm", "swiglu", "attention",
                                "attention_inputs", "qk_norm_rope", "add", "mul", "silu"}) {
      catalog.Add(op, target);
    }
  }
  return catalog;
}

struct Toy {
  Toy() : image(test::ToyModel(Shape())), weights(image.file) {}
  static test::ToyShape Shape() {
    test::ToyShape shape;
    shape.layers = 2;
    return shape;
  }
  Graph Lower() const { return *LowerQwen3(*ReadQwen3Config(*image.file), weights, {}); }

  test::OpenedImage image;
  GgufWeights weights;
};

SymbolRanges SymbolsFor(Range tokens) { return {{tokens, Range{1, 1}, Range{1, 1024}}}; }

// As the compiler does it, up to stage placed: what is placed on two devices needs copies to be
// scheduled, which are another matter.
absl::StatusOr<std::vector<Regime>> Place(const Policy& policy, Range tokens = {1, kMaxTokens}) {
  static const Toy toy;
  const FakeCatalog catalog = CatalogWithMetal();
  PassContext context{SymbolsFor(tokens), &policy, &catalog};
  std::vector<PassRecord> records;
  Graph graph = toy.Lower();
  PassPipeline once = *PassPipeline::Create(GraphPasses(), Stage::kImported);
  RETURN_IF_ERROR(once.Run(graph, context, {}, &records));
  ASSIGN_OR_RETURN(std::vector<Range> ranges, CutRegimes(graph, policy, catalog));
  std::vector<Regime> regimes;
  for (const Range& range : ranges) {
    Graph copy = graph.Clone();
    copy.set_symbols(RegimeSymbols(context.symbols, range));
    std::vector<std::unique_ptr<Pass>> passes;
    passes.push_back(MakeLegalize());
    passes.push_back(MakePlaceNodes());
    ASSIGN_OR_RETURN(PassPipeline each, PassPipeline::Create(std::move(passes), Stage::kBound));
    RETURN_IF_ERROR(each.Run(copy, context, {}, &records));
    regimes.push_back({range.min, range.max, std::move(copy)});
  }
  return regimes;
}

std::vector<std::string> Intervals(const std::vector<Regime>& regimes) {
  std::vector<std::string> intervals;
  for (const Regime& regime : regimes) {
    intervals.push_back(StrCat(regime.min_tokens, "..", regime.max_tokens));
  }
  return intervals;
}

// The targets of the nodes of an op, those of `rows` rows only.
std::string TargetsOf(const Graph& graph, std::string_view op, Dim rows) {
  std::set<std::string_view> names;
  for (const Node* node : graph.nodes()) {
    if (!node->placement() || node->op().name != op) continue;
    const ValueType* type = RowsType(*node);
    if (type != nullptr && type->dim(0) == rows) names.insert(Name(node->placement()->target));
  }
  std::string text;
  for (std::string_view name : names) StrAppend(&text, text.empty() ? "" : " ", name);
  return text;
}

const Regime& RegimeAt(const std::vector<Regime>& regimes, int64_t tokens) {
  for (const Regime& regime : regimes) {
    if (tokens <= regime.max_tokens) return regime;
  }
  return regimes.back();
}

TEST(PolicyRegimes, TutorialPlacesByItsThresholds) {
  absl::StatusOr<std::vector<Regime>> regimes = Place(*LoadPolicy("tutorial"));
  ASSERT_TRUE(regimes.ok()) << regimes.status();
  EXPECT_THAT(Intervals(*regimes), ElementsAre("1..3", "4..7", "8..512"));
  struct Row {
    int64_t tokens;
    const char* products;
  };
  for (const Row& row : {Row{1, "simd"}, Row{3, "simd"}, Row{4, "parallel"}, Row{7, "parallel"},
                         Row{8, "metal"}, Row{512, "metal"}}) {
    SCOPED_TRACE(row.tokens);
    const Graph& graph = RegimeAt(*regimes, row.tokens).graph;
    EXPECT_EQ(TargetsOf(graph, "linear", Symbol::kT), row.products);
    EXPECT_EQ(TargetsOf(graph, "matmul", Symbol::kT), row.products);
    EXPECT_EQ(TargetsOf(graph, "linear", Symbol::kR), "simd") << "one row of logits";
    EXPECT_EQ(TargetsOf(graph, "row_sum_squares", Symbol::kT), "parallel");
    for (const Node* node : graph.nodes()) {
      const std::string_view op = node->op().name;
      if (!node->placement() || op == "linear" || op == "matmul" || op == "row_sum_squares") {
        continue;
      }
      EXPECT_EQ(node->placement()->target, Target::kScalar) << op;
      EXPECT_FALSE(node->op().composite()) << op;
    }
  }
}

TEST(PolicyRegimes, MetalTakesCallsFromEightRows) {
  absl::StatusOr<std::vector<Regime>> regimes = Place(*LoadPolicy("metal"));
  ASSERT_TRUE(regimes.ok()) << regimes.status();
  EXPECT_THAT(Intervals(*regimes), ElementsAre("1..7", "8..512"));
  EXPECT_EQ(TargetsOf((*regimes)[0].graph, "multi_linear", Symbol::kT), "simd");
  EXPECT_EQ(TargetsOf((*regimes)[1].graph, "multi_linear", Symbol::kT), "metal");
}

// Rule, target and kernel of each node.
std::vector<std::string> Decisions(const Graph& graph) {
  std::vector<std::string> decisions;
  for (const Node* node : graph.nodes()) {
    if (!node->placement()) continue;
    decisions.push_back(StrCat(node->op().name, " ", node->placement()->rule, " ",
                               Name(node->placement()->target), " ", node->placement()->kernel));
  }
  return decisions;
}

// Thresholds on all quantities that grow with T, at values that fall inside the range.
Policy AllQuantities() {
  Policy policy;
  policy.name = "all-quantities";
  auto add = [&](std::string name, std::vector<Target> targets) -> Rule& {
    return policy.rules.emplace_back(test::RuleFor(std::move(name), std::move(targets)));
  };
  add("one-token", {Target::kSimd, Target::kScalar}).phase = Phase::kDecode;
  add("long", {Target::kMetal, Target::kParallel, Target::kScalar}).tokens.min = 37;
  Rule& rows = add("rows", {Target::kParallel, Target::kScalar});
  rows.op = "linear";
  rows.rows = {5, 11};
  Rule& elements = add("elements", {Target::kSimd, Target::kScalar});
  elements.elements.min = 8 * 20;
  elements.layer.min = 1;
  Rule& flops = add("flops", {Target::kParallel, Target::kScalar});
  flops.flops.max = 2000;
  flops.node_regex = *NameRegex::Compile("ffn");
  add("rest", {Target::kScalar});
  return policy;
}

// The proof at both ends of an interval against every T in it.
TEST(PolicyRegimes, EveryTokenCountDecidesAsItsRegimeDoes) {
  constexpr int64_t kTokens = 48;
  std::vector<Policy> policies = {AllQuantities()};
  policies.push_back(policies[0]);
  policies[1].composites = Policy::Composites::kDecompose;
  for (const NamedPolicyText& named : NamedPolicies()) {
    policies.push_back(*LoadPolicy(named.name));
  }
  for (const Policy& policy : policies) {
    SCOPED_TRACE(policy.name);
    absl::StatusOr<std::vector<Regime>> regimes = Place(policy, {1, kTokens});
    ASSERT_TRUE(regimes.ok()) << regimes.status();
    for (int64_t tokens = 1; tokens <= kTokens; ++tokens) {
      absl::StatusOr<std::vector<Regime>> alone = Place(policy, {tokens, tokens});
      ASSERT_TRUE(alone.ok()) << alone.status();
      ASSERT_EQ(alone->size(), 1u);
      EXPECT_EQ(Decisions((*alone)[0].graph), Decisions(RegimeAt(*regimes, tokens).graph))
          << "T = " << tokens;
    }
  }
}

TEST(PolicyRegimes, EveryNodeOfEveryRegimeHasARecord) {
  std::vector<Policy> policies = {AllQuantities()};
  for (const NamedPolicyText& named : NamedPolicies()) {
    policies.push_back(*LoadPolicy(named.name));
  }
  for (const Policy& policy : policies) {
    absl::StatusOr<std::vector<Regime>> regimes = Place(policy);
    ASSERT_TRUE(regimes.ok()) << regimes.status();
    for (const Regime& regime : *regimes) {
      for (const Node* node : regime.graph.nodes()) {
        if (!IsExecuted(*node)) continue;
        ASSERT_TRUE(node->placement()) << policy.name << ": " << node->scope();
        EXPECT_NE(node->placement()->rule, "");
        EXPECT_NE(node->placement()->kernel, "");
        EXPECT_EQ(node->placement()->rejected.size(), kUserTargets.size() - 1);
      }
    }
  }
}

TEST(PolicyRegimes, OverridesComeFirstAndAreRecordedApart) {
  Policy policy = *LoadPolicy("scalar");
  Rule rule = test::RuleFor("place op=linear=simd", {Target::kSimd});
  rule.op = "linear";
  rule.is_override = true;
  policy.rules.insert(policy.rules.begin(), rule);
  static const Toy toy;
  CompileOptions options;
  options.policy = policy;
  options.symbols = SymbolsFor({1, kMaxTokens});
  options.hash = HashMode::kNone;
  absl::StatusOr<Program> program =
      CompileProgram(toy.Lower(), toy.weights, CatalogWithMetal(), options);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->policy, *LoadPolicy("scalar"));
  EXPECT_THAT(program->overrides, ElementsAre("place op=linear=simd"));
  for (const Node* node : program->regimes[0].graph.nodes()) {
    if (!node->placement()) continue;
    const bool linear = node->op().family_name() == "linear";
    EXPECT_EQ(node->placement()->target, linear ? Target::kSimd : Target::kScalar);
    if (linear) {
      EXPECT_EQ(node->placement()->source, PlacementSource::kOverride);
    }
  }
}

}  // namespace
}  // namespace infer
