// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::SampleGraph;
using test::SampleProgram;
using ::testing::HasSubstr;

Node* Find(const Graph& graph, std::string_view name) {
  for (Node* node : graph.nodes()) {
    if (node->result().name == name) return node;
  }
  ADD_FAILURE() << "no node " << name;
  return nullptr;
}

class VerifyStages : public ::testing::TestWithParam<Stage> {};

TEST_P(VerifyStages, AcceptTheSample) {
  EXPECT_EQ(Verify(SampleGraph(GetParam())), absl::OkStatus());
}

INSTANTIATE_TEST_SUITE_P(All, VerifyStages,
                         ::testing::Values(Stage::kImported, Stage::kBound, Stage::kPlaced,
                                           Stage::kScheduled, Stage::kPlanned));

TEST(Verify, AcceptsTheSampleProgram) { EXPECT_EQ(Verify(SampleProgram()), absl::OkStatus()); }

TEST(Verify, HoldsRegimesToTheirRanges) {
  SymbolRanges symbols = SampleProgram().symbols;
  symbols[Symbol::kR] = {1, 8};
  EXPECT_EQ(RegimeSymbols(symbols, {1, 4})[Symbol::kR], (Range{1, 4}));
  EXPECT_EQ(RegimeSymbols(symbols, {5, 16})[Symbol::kR], (Range{1, 8}));
  EXPECT_EQ(RegimeSymbols(symbols, {5, 16})[Symbol::kT], (Range{5, 16}));
  Program program = SampleProgram();
  program.symbols = symbols;
  EXPECT_EQ(Verify(program).message(),
            "the regime of 1..4 tokens: the range of R in its graph is 1..1, expected 1..4");
}

TEST(Verify, RefusesARecordOfARegimeThatIsNotThere) {
  Program program = SampleProgram();
  program.passes[1].regime = 3;
  EXPECT_EQ(Verify(program).message(), "the record of pass \"place\" is for regime 3 of 2");
  program.passes[1].regime = -1;
  EXPECT_FALSE(Verify(program).ok());
}

TEST(Verify, AcceptsDecomposedAttention) {
  Graph graph = SampleGraph(Stage::kBound);
  Node* attention = Find(graph, "layer.0.attn.attention");
  GraphBuilder b = GraphBuilder::Before(&graph, attention);
  std::vector<Value> results = attention->op().decompose(b, *attention);
  ASSERT_TRUE(b.status().ok()) << b.status();
  graph.ReplaceAllUses(attention->output(), results[0]);
  graph.Erase(attention);
  EXPECT_EQ(Verify(graph), absl::OkStatus());
}

TEST(Verify, NamesNodesInOneLine) {
  Graph graph = SampleGraph(Stage::kImported);
  Node* node = Find(graph, "rows");
  EXPECT_EQ(DescribeNode(*node), "%rows (select_rows)");
  node->result().name = "a\nb";
  EXPECT_EQ(DescribeNode(*node), "%a\\nb (select_rows)");
  node->result().name.clear();
  EXPECT_EQ(DescribeNode(*node), "the select_rows of rows");
  node->set_scope("");
  EXPECT_EQ(DescribeNode(*node), "a node (select_rows)");
}

struct Defect {
  const char* name;
  Stage stage;
  std::function<void(Graph&)> damage;
  const char* message;
};

class GraphDefects : public ::testing::TestWithParam<Defect> {};

TEST_P(GraphDefects, AreRefused) {
  Graph graph = SampleGraph(GetParam().stage);
  GetParam().damage(graph);
  absl::Status status = Verify(graph);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(ToStd(status.message())), HasSubstr(GetParam().message));
}

void EditPlacement(Graph& graph, std::string_view name, std::function<void(Placement&)> edit) {
  Placement placement = *Find(graph, name)->placement();
  edit(placement);
  Find(graph, name)->set_placement(placement);
}

void SetRange(Graph& graph, Symbol symbol, Range range) {
  SymbolRanges symbols = graph.symbols();
  symbols[symbol] = range;
  graph.set_symbols(symbols);
}

const Defect kStructureDefects[] = {
    {"result_type", Stage::kImported,
     [](Graph& g) { Find(g, "rows")->result().type = ValueType::F32({Symbol::kT, 64}); },
     "%rows (select_rows): result 0 is f32[T,64], expected f32[R,64]"},
    {"declared_zero_dimension", Stage::kImported,
     [](Graph& g) { Find(g, "kv")->result().type = ValueType::Kv(DType::kF16, 0, 32); },
     "has a dimension outside 1..2147483647"},
    {"huge_dimension", Stage::kImported,
     [](Graph& g) {
       Find(g, "tokens")->result().type = ValueType::Tensor(DType::kI32, {int64_t{1} << 31});
     },
     "has a dimension outside"},
    {"huge_tensor", Stage::kImported,
     [](Graph& g) { Find(g, "tokens")->result().type = ValueType::F32({1 << 20, 1 << 20}); },
     "takes 2^40 bytes or more"},
    {"symbols_not_countable", Stage::kImported,
     [](Graph& g) { Find(g, "tokens")->result().type = ValueType::F32({Symbol::kT, Symbol::kT}); },
     "combines symbols"},
    {"quantised_rows_of_unknown_length", Stage::kImported,
     [](Graph& g) { g.AddInput("odd", ValueType::Tensor(DType::kQ8_0, {4, Symbol::kT})); },
     "%odd (input): its type q8_0[4,T] is quantised but has rows of unknown length"},
    {"half_a_block", Stage::kImported,
     [](Graph& g) { g.AddInput("odd", ValueType::Tensor(DType::kQ8_0, {4, 16})); },
     "not a whole number of blocks"},
    {"input_after_other_nodes", Stage::kImported,
     [](Graph& g) { g.Insert(nullptr, ops::kInput, {}, {}, {ValueType::F32({1})}); },
     "inputs of the graph must come before"},
    {"use_before_definition", Stage::kImported,
     [](Graph& g) { g.SetInput(Find(g, "rows"), 0, Find(g, "output")->output()); },
     "%rows (select_rows): input 0 is %output (linear), which does not come before it"},
    {"uses_itself", Stage::kImported,
     [](Graph& g) { g.SetInput(Find(g, "rows"), 0, Find(g, "rows")->output()); },
     "does not come before it"},
    {"too_few_inputs", Stage::kImported,
     [](Graph& g) {
       g.Insert(nullptr, ops::kAdd, {Find(g, "rows")->output()}, {},
                {Find(g, "rows")->result().type});
     },
     "has 1 inputs, expected 2"},
    {"wrong_attribute_kind", Stage::kImported,
     [](Graph& g) {
       g.Insert(nullptr, ops::kScale, {Find(g, "rows")->output()}, {int64_t{3}},
                {Find(g, "rows")->result().type});
     },
     "is of kind int, expected double"},
    {"no_results_of_node", Stage::kImported,
     [](Graph& g) { g.Insert(nullptr, ops::kScale, {Find(g, "rows")->output()}, {1.0}, {}); },
     "has no results"},
    {"index_not_from_input", Stage::kImported,
     [](Graph& g) {
       GraphBuilder b(&g);
       Value rows = ops::Argmax(b, Find(g, "output")->output()).first;
       ops::Embed(b, Find(g, "token_embd.weight")->output(), rows);
     },
     "holds row numbers and must be an input of the graph"},
    {"weight_of_two_types", Stage::kImported,
     [](Graph& g) {
       GraphBuilder b(&g);
       ops::WeightRef(b, "token_embd.weight", ValueType::F32({96, 64}));
     },
     "is f32[96,64] here and q8_0[96,64] before"},
    {"state_twice", Stage::kImported,
     [](Graph& g) {
       GraphBuilder b(&g);
       ops::KvState(b, 0, ValueType::Kv(DType::kF16, 1, 32));
     },
     "state 0 has two nodes"},
    {"cache_written_twice", Stage::kImported,
     [](Graph& g) {
       GraphBuilder b(&g);
       Value half = Find(g, "layer.0.attn.half")->output();
       ops::KvWrite(b, Find(g, "kv")->output(), half, half, Find(g, "batch")->output());
     },
     "writes %kv (kv_state), which is used again"},
    {"old_cache_read_after_write", Stage::kImported,
     [](Graph& g) {
       GraphBuilder b(&g);
       ops::KvRead(b, Find(g, "kv")->output(), Find(g, "batch")->output());
     },
     "writes %kv (kv_state), which is used again by a node (kv_read)"},
    {"old_cache_is_result", Stage::kImported,
     [](Graph& g) { g.AddResult(Find(g, "kv")->output()); }, "is a result of the graph"},
    {"no_range", Stage::kBound, [](Graph& g) { SetRange(g, Symbol::kR, {}); },
     "uses R, which has no range although the graph is bound"},
    {"range_from_zero", Stage::kBound, [](Graph& g) { SetRange(g, Symbol::kT, {0, 4}); },
     "symbol T has the range 0..4"},
    {"range_backwards", Stage::kBound, [](Graph& g) { SetRange(g, Symbol::kT, {5, 4}); },
     "symbol T has the range 5..4"},
    {"range_too_large", Stage::kBound,
     [](Graph& g) { SetRange(g, Symbol::kT, {1, int64_t{1} << 40}); }, "symbol T has the range"},
};

const Defect kStageDefects[] = {
    {"placement_too_early", Stage::kPlaced, [](Graph& g) { g.set_stage(Stage::kBound); },
     "has a placement although the graph is only bound"},
    {"placement_missing", Stage::kPlaced,
     [](Graph& g) { Find(g, "rows")->set_placement(std::nullopt); },
     "%rows (select_rows): has no placement although the graph is placed"},
    {"placement_of_weight", Stage::kPlaced,
     [](Graph& g) { Find(g, "token_embd.weight")->set_placement(*Find(g, "rows")->placement()); },
     "although it is not executed"},
    {"no_kernel", Stage::kPlaced,
     [](Graph& g) { EditPlacement(g, "rows", [](Placement& p) { p.kernel.clear(); }); },
     "names no kernel"},
    {"no_rule", Stage::kPlaced,
     [](Graph& g) { EditPlacement(g, "rows", [](Placement& p) { p.rule.clear(); }); },
     "names no rule"},
    {"reason_missing", Stage::kPlaced,
     [](Graph& g) { EditPlacement(g, "rows", [](Placement& p) { p.rejected.pop_back(); }); },
     "does not say why cuda was not taken"},
    {"reason_twice", Stage::kPlaced,
     [](Graph& g) {
       EditPlacement(g, "rows", [](Placement& p) { p.rejected[0] = p.rejected[1]; });
     },
     "rejects parallel twice"},
    {"reason_against_itself", Stage::kPlaced,
     [](Graph& g) {
       EditPlacement(g, "rows", [](Placement& p) { p.rejected[0].target = p.target; });
     },
     "rejects scalar, which it uses"},
    {"reason_empty", Stage::kPlaced,
     [](Graph& g) { EditPlacement(g, "rows", [](Placement& p) { p.rejected[0].text = ""; }); },
     "rejects simd without a reason"},
    {"predicate", Stage::kPlaced,
     [](Graph& g) { EditPlacement(g, "rows", [](Placement& p) { p.terms[0].cmp = "<"; }); },
     "expected a field with <= or >="},
    {"estimate", Stage::kPlaced,
     [](Graph& g) {
       EditPlacement(g, "rows", [](Placement& p) {
         p.estimate_ns_min = std::numeric_limits<double>::quiet_NaN();
       });
     },
     "its estimates must be finite, non-negative times"},
    {"plan_too_early", Stage::kScheduled, [](Graph& g) { g.set_stage(Stage::kPlaced); },
     "the graph is placed and has a plan"},
    {"plan_missing", Stage::kScheduled, [](Graph& g) { g.set_plan(std::nullopt); },
     "the graph is scheduled and has no plan"},
    {"slots_too_early", Stage::kPlanned, [](Graph& g) { g.set_stage(Stage::kScheduled); },
     "only scheduled but has slots"},
    {"slots_missing", Stage::kScheduled, [](Graph& g) { g.set_stage(Stage::kPlanned); },
     "has no slot on cpu"},
};

std::string DefectName(const ::testing::TestParamInfo<Defect>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Structure, GraphDefects, ::testing::ValuesIn(kStructureDefects),
                         DefectName);
INSTANTIATE_TEST_SUITE_P(Stage, GraphDefects, ::testing::ValuesIn(kStageDefects), DefectName);

TEST(Verify, RefusesAGraphWithoutResults) {
  Graph graph;
  graph.AddInput("x", ValueType::F32({1}));
  EXPECT_THAT(Verify(graph).ToString(), HasSubstr("the graph has no results"));
}

TEST(Verify, RefusesAValueOfAnotherGraph) {
  Graph other = SampleGraph(Stage::kImported);
  Graph graph = SampleGraph(Stage::kImported);
  Value stranger = Find(other, "embed")->output();
  graph.SetInput(Find(graph, "rows"), 0, stranger);
  EXPECT_THAT(Verify(graph).ToString(), HasSubstr("input 0 is not a value of this graph"));
}

}  // namespace
}  // namespace infer
