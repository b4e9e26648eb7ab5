// SPDX-License-Identifier: Apache-2.0
#include "ir/text/printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "ir/graph/builder.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "ir/text/parser.h"
#include "tests/ir/same_graph.h"
#include "tests/ir/sample_graphs.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class EveryStage : public ::testing::TestWithParam<int> {};

TEST_P(EveryStage, GraphSurvivesText) {
  Graph graph = SampleTextGraph(static_cast<Stage>(GetParam()));
  std::string text = PrintGraph(graph);
  absl::StatusOr<Graph> parsed = ParseGraph(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
  ExpectSameGraph(graph, *parsed);
  EXPECT_EQ(PrintGraph(*parsed), text);
}

TEST_P(EveryStage, RenumberedTextSurvivesAsText) {
  std::string text =
      PrintGraph(SampleTextGraph(static_cast<Stage>(GetParam())), NameStyle::kRenumbered);
  absl::StatusOr<Graph> parsed = ParseGraph(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
  EXPECT_EQ(PrintGraph(*parsed), text);
}

INSTANTIATE_TEST_SUITE_P(Stages, EveryStage, ::testing::Range(0, kNumStages));

Graph OneAdd(std::string input, std::string result) {
  Graph graph;
  Value x = graph.AddInput(std::move(input), ValueType::F32({2, 3}))->output();
  GraphBuilder b(&graph);
  Value y = ops::Add(b, x, x);
  y.node->result().name = std::move(result);
  graph.AddResult(y);
  return graph;
}

TEST(Printer, WritesThisText) {
  EXPECT_EQ(PrintGraph(OneAdd("x", "y")),
            "graph @graph stage(imported) (%x: f32[2,3]) {\n"
            "  %y = add(%x, %x) : f32[2,3]\n"
            "  return %y\n"
            "}\n");
}

TEST(Printer, RenumberedGraphsThatDifferInNamesAreEqual) {
  Graph a = OneAdd("x", "y");
  Graph b = OneAdd("long.name", "");
  EXPECT_NE(PrintGraph(a), PrintGraph(b));
  EXPECT_EQ(PrintGraph(a, NameStyle::kRenumbered), PrintGraph(b, NameStyle::kRenumbered));
}

TEST(Printer, OddEmptyNumericAndEqualNamesSurvive) {
  for (std::string name :
       {"", "0", "17", "x", "a b", "\"", "%", "q\n\x80", "x~1", "1.5", "-", "é"}) {
    for (std::string other : {"x", "", "0", "a b"}) {
      Graph graph = OneAdd(other, name);
      absl::StatusOr<Graph> parsed = ParseGraph(PrintGraph(graph));
      ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << PrintGraph(graph);
      ExpectSameGraph(graph, *parsed);
    }
  }
}

TEST(Printer, GraphNamesSurvive) {
  for (std::string name : {"", "0", "qwen3", "a b", "Qwen3-0.6B/q8", "\"@\n"}) {
    Graph graph(name);
    absl::StatusOr<Graph> parsed = ParseGraph(PrintGraph(graph));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->name(), name);
  }
}

TEST(Printer, ScopesAndOriginsSurviveInEveryCombination) {
  for (std::string scope : {"", "s", "layer.3/s"}) {
    for (std::string first : {"", "s", "t \"quoted\""}) {
      for (std::string second : {"", "s"}) {
        Graph graph;
        Node* x = graph.AddInput("x", ValueType::F32({2, 3}));
        x->set_scope(scope);
        x->set_merged_scopes({"m", "layer.3/n"});
        x->result().origin = second;
        graph.AddInput("y", ValueType::Batch());
        GraphBuilder b(&graph);
        Node* node = b.Emit(ops::kArgmax, {x->output()});
        node->set_scope(scope);
        node->result(0).origin = first;
        node->result(1).origin = second;
        absl::StatusOr<Graph> parsed = ParseGraph(PrintGraph(graph));
        ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << PrintGraph(graph);
        ExpectSameGraph(graph, *parsed);
      }
    }
  }
}

TEST(Printer, UsualOriginIsNotWritten) {
  std::string text = PrintGraph(SampleTextGraph(Stage::kImported));
  EXPECT_THAT(text, HasSubstr("f32[T,256] in \"embed\"\n"));
  EXPECT_THAT(text, HasSubstr("in \"layer.0/attn/k\" from none\n"));
  EXPECT_THAT(text, HasSubstr("in \"pick\" from \"pick\", \"probability\"\n"));
}

TEST(Printer, DoublesSurviveExactly) {
  double subnormal = std::numeric_limits<double>::denorm_min();
  for (double value : {0.0, -0.0, 1.0, 0.1, 1e-6, 1e300, -1.5, subnormal, 1.0 / 3,
                       std::numeric_limits<double>::max(), std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity()}) {
    Graph graph;
    Value x = graph.AddInput("x", ValueType::F32({2, 3}))->output();
    GraphBuilder b(&graph);
    ops::Scale(b, x, value);
    absl::StatusOr<Graph> parsed = ParseGraph(PrintGraph(graph));
    ASSERT_TRUE(parsed.ok()) << parsed.status() << PrintGraph(graph);
    double read = parsed->NodesOf(ops::kScale)[0]->attr<double>(0);
    EXPECT_EQ(read, value);
    EXPECT_EQ(std::signbit(read), std::signbit(value));
  }
}

TEST(Printer, NotANumberSurvives) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({2, 3}))->output();
  GraphBuilder b(&graph);
  Value y = ops::Scale(b, x, std::nan(""));
  Placement placement;
  placement.estimate_ns_max = std::nan("");
  y.node->set_placement(placement);
  absl::StatusOr<Graph> parsed = ParseGraph(PrintGraph(graph));
  ASSERT_TRUE(parsed.ok()) << parsed.status() << PrintGraph(graph);
  const Node& node = *parsed->NodesOf(ops::kScale)[0];
  EXPECT_TRUE(std::isnan(node.attr<double>(0)));
  EXPECT_TRUE(std::isnan(node.placement()->estimate_ns_max));
}

// Errors about a broken graph show it, so it has to print.
TEST(Printer, BrokenReferencesPrintAsUnknown) {
  Graph graph = OneAdd("x", "y");
  Graph other = OneAdd("x", "y");
  graph.AddResult(other.results()[0]);
  Plan plan;
  for (ValueRef ref : {ValueRef{99, 0}, ValueRef{-5, 0}, ValueRef{0, 1}}) {
    plan.slots.emplace_back().value = ref;
  }
  graph.set_plan(plan);
  std::string text = PrintGraph(graph);
  EXPECT_THAT(text, HasSubstr("return %y, %?"));
  EXPECT_THAT(text, Not(HasSubstr("value = %x")));
  EXPECT_FALSE(ParseGraph(text).ok());
}

}  // namespace
}  // namespace infer
