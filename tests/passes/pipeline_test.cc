// SPDX-License-Identifier: Apache-2.0
#include "passes/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "ir/base/strings.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::TestMachine;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A pass that does what a test says.
class FakePass final : public Pass {
 public:
  using Action = std::function<absl::StatusOr<bool>(Graph&)>;
  FakePass(std::string name, Stage needs, Stage gives, Action action)
      : name_(std::move(name)), needs_(needs), gives_(gives), action_(std::move(action)) {}

  std::string_view name() const override { return name_; }
  Stage needs() const override { return needs_; }
  Stage gives() const override { return gives_; }
  absl::StatusOr<bool> Run(Graph& graph, PassContext&) const override { return action_(graph); }

 private:
  std::string name_;
  Stage needs_;
  Stage gives_;
  Action action_;
};

std::unique_ptr<Pass> Fake(std::string name, FakePass::Action action, Stage needs = Stage::kBound,
                           Stage gives = Stage::kBound) {
  return std::make_unique<FakePass>(std::move(name), needs, gives, std::move(action));
}

template <class... Passes>
std::vector<std::unique_ptr<Pass>> List(Passes... passes) {
  std::vector<std::unique_ptr<Pass>> list;
  (list.push_back(std::move(passes)), ...);
  return list;
}

Graph TestGraph() {
  return GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %y = silu(%x) : f32[T,4]
        %z = silu(%y) : f32[T,4]
        return %z
      })");
}

absl::StatusOr<bool> Nothing(Graph&) { return false; }
absl::StatusOr<bool> Rename(Graph& graph) {
  graph.set_name(graph.name() + "'");
  return true;
}
absl::StatusOr<bool> EraseFirst(Graph& graph) {
  Node* first = graph.nodes()[1];
  graph.ReplaceAllUses(first->output(), first->input(0));
  graph.Erase(first);
  return true;
}

struct Outcome {
  absl::Status status;
  Graph graph;
  std::vector<PassRecord> records;
};

Outcome RunList(std::vector<std::unique_ptr<Pass>> passes, const PassObserver& observer = {}) {
  Outcome outcome{absl::OkStatus(), TestGraph(), {}};
  absl::StatusOr<PassPipeline> pipeline = PassPipeline::Create(std::move(passes), Stage::kBound);
  if (!pipeline.ok()) {
    outcome.status = pipeline.status();
    return outcome;
  }
  TestMachine machine;
  PassContext context = machine.Context();
  outcome.status = pipeline->Run(outcome.graph, context, observer, &outcome.records);
  return outcome;
}

TEST(PassPipeline, RunsPassesInOrderAndRecordsThem) {
  Outcome outcome =
      RunList(List(Fake("one", Rename), Fake("two", EraseFirst), Fake("three", Nothing)));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.graph.name(), "g'");
  EXPECT_THAT(outcome.records,
              ElementsAre(PassRecord{"one", true, 3, 3}, PassRecord{"two", true, 3, 2},
                          PassRecord{"three", false, 2, 2}));
}

TEST(PassPipeline, ShowsTheGraphAfterEachPass) {
  std::vector<std::string> seen;
  Outcome outcome =
      RunList(List(Fake("one", Rename), Fake("two", Rename)),
              {.after = [&](const PassRecord& record, const Graph& graph, double ms) {
                EXPECT_GE(ms, 0);
                seen.push_back(StrCat(record.name, " ", graph.name(), " ", Name(graph.stage())));
              }});
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_THAT(seen, ElementsAre("one g' bound", "two g'' bound"));
}

TEST(PassPipeline, ShowsTheGraphBeforeEachPassAndSaysForWhichRegime) {
  absl::StatusOr<PassPipeline> pipeline =
      PassPipeline::Create(List(Fake("one", Rename), Fake("two", Rename)), Stage::kBound);
  ASSERT_TRUE(pipeline.ok());
  std::vector<std::string> seen;
  PassObserver observer;
  observer.before = [&](std::string_view pass, int32_t regime, const Graph& graph) {
    seen.push_back(StrCat(pass, " ", regime, " ", graph.name()));
  };
  Graph graph = TestGraph();
  TestMachine machine;
  PassContext context = machine.Context();
  std::vector<PassRecord> records;
  ASSERT_TRUE(pipeline->Run(graph, context, observer, &records, /*regime=*/3).ok());
  EXPECT_THAT(seen, ElementsAre("one 3 g", "two 3 g'"));
  EXPECT_THAT(records,
              ElementsAre(PassRecord{"one", true, 3, 3, 3}, PassRecord{"two", true, 3, 3, 3}));
}

TEST(PassPipeline, ShowsTheGraphBeforeAPassThatFails) {
  bool shown = false;
  PassObserver observer;
  observer.before = [&](std::string_view, int32_t, const Graph&) { shown = true; };
  observer.after = [](const PassRecord&, const Graph&, double) {
    ADD_FAILURE() << "there is nothing to show after it";
  };
  Outcome outcome = RunList(
      List(Fake("fails", [](Graph&) { return absl::StatusOr<bool>(absl::InternalError("no")); })),
      observer);
  EXPECT_FALSE(outcome.status.ok());
  EXPECT_TRUE(shown);
}

TEST(PassPipeline, MovesTheGraphToTheStageThatAPassGives) {
  Outcome outcome = RunList(List(MakePlaceNodes(), MakeScheduleNodes(), MakePlanMemory()));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.graph.stage(), Stage::kPlanned);
}

TEST(PassPipeline, RefusesAnOrderInWhichAPassDoesNotGetItsStage) {
  Outcome outcome = RunList(List(MakePlaceNodes(), MakePlanMemory()));
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(outcome.status.message(),
            "pass plan-memory needs stage scheduled but follows stage placed");
  EXPECT_TRUE(outcome.records.empty());
}

TEST(PassPipeline, RefusesAFirstPassThatNeedsAnotherStage) {
  absl::StatusOr<PassPipeline> pipeline =
      PassPipeline::Create(List(MakeBindShapes()), Stage::kBound);
  EXPECT_EQ(pipeline.status().message(),
            "pass bind-shapes needs stage imported but follows stage bound");
}

TEST(PassPipeline, RefusesAGraphAtAnotherStage) {
  absl::StatusOr<PassPipeline> pipeline =
      PassPipeline::Create(List(MakeBindShapes()), Stage::kImported);
  ASSERT_TRUE(pipeline.ok());
  Graph graph = TestGraph();
  TestMachine machine;
  PassContext context = machine.Context();
  std::vector<PassRecord> records;
  EXPECT_EQ(pipeline->Run(graph, context, {}, &records).message(),
            "pass bind-shapes needs a graph at stage imported, this one is bound");
}

TEST(PassPipeline, FindsAPassThatHidesAChange) {
  Outcome outcome = RunList(List(Fake("honest", Rename), Fake("sly", [](Graph& graph) {
                                   Rename(graph).IgnoreError();
                                   return absl::StatusOr<bool>(false);
                                 })));
  EXPECT_EQ(outcome.status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(outcome.status.ToString(), HasSubstr("pass sly reports that it did not change"));
  EXPECT_EQ(outcome.records.size(), 1u);
}

TEST(PassPipeline, FindsAPassThatBoastsOfAChange) {
  Outcome outcome = RunList(List(Fake("idle", [](Graph&) { return absl::StatusOr<bool>(true); })));
  EXPECT_THAT(outcome.status.ToString(), HasSubstr("pass idle reports that it changed the graph"));
}

TEST(PassPipeline, FindsAPassThatMovesTheStageItself) {
  Outcome outcome = RunList(List(Fake("hasty", [](Graph& graph) {
    graph.set_stage(Stage::kPlaced);
    return absl::StatusOr<bool>(false);
  })));
  EXPECT_THAT(outcome.status.ToString(), HasSubstr("pass hasty reports that it did not change"));
}

// The content before a pass is that after the one before it: a change may not be blamed on the
// next.
TEST(PassPipeline, ComparesEachPassWithTheGraphThatItGot) {
  Outcome outcome = RunList(List(Fake("one", Rename), Fake("two", Nothing), Fake("three", Rename),
                                 Fake("four", Nothing)));
  ASSERT_TRUE(outcome.status.ok()) << outcome.status;
  EXPECT_EQ(outcome.records.size(), 4u);
}

TEST(PassPipeline, NamesThePassThatBrokeTheGraph) {
  Outcome outcome = RunList(List(Fake("good", Rename), Fake("clumsy", [](Graph& graph) {
                                   graph.nodes()[2]->result().type = ValueType::F32({3});
                                   return absl::StatusOr<bool>(true);
                                 })));
  EXPECT_EQ(outcome.status.message(),
            "%z (silu): result 0 is f32[3], expected f32[T,4] (after pass clumsy)");
}

TEST(PassPipeline, ChecksWhatAStageDemandsEvenIfNothingChanged) {
  Outcome outcome = RunList(List(Fake("lazy", Nothing, Stage::kBound, Stage::kPlaced)));
  EXPECT_EQ(outcome.status.message(),
            "%y (silu): has no placement although the graph is placed (after pass lazy)");
}

TEST(PassPipeline, HandsOutTheErrorOfAPass) {
  Outcome outcome = RunList(List(
      Fake("fails", [](Graph&) { return absl::StatusOr<bool>(absl::UnimplementedError("no")); }),
      Fake("never", [](Graph&) {
        ADD_FAILURE() << "a pass ran after an error";
        return absl::StatusOr<bool>(false);
      })));
  EXPECT_EQ(outcome.status, absl::UnimplementedError("no"));
}

TEST(DefaultPipeline, IsInAnOrderThatWorks) {
  EXPECT_TRUE(PassPipeline::Create(GraphPasses(), Stage::kImported).ok());
  EXPECT_TRUE(PassPipeline::Create(RegimePasses(), Stage::kBound).ok());
  EXPECT_EQ(RegimePasses().back()->gives(), Stage::kPlanned);
}

}  // namespace
}  // namespace infer
