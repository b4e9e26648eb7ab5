// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "ir/text/fingerprint.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/passes.h"

namespace infer::test {
namespace {

// Runs the pass as the pipeline does, and checks its "changed" answer against the fingerprint.
absl::StatusOr<bool> RunAndCheck(const Pass& pass, Graph& graph, const TestMachine& machine,
                                 std::vector<std::string>* refusals = nullptr) {
  EXPECT_EQ(Name(graph.stage()), Name(pass.needs())) << "the text is at another stage";
  PassContext context = machine.Context();
  if (refusals != nullptr) {
    context.on_refusal = [refusals](const Node&, std::string_view reason) {
      refusals->emplace_back(reason);
    };
  }
  uint64_t before = Fingerprint(graph);
  absl::StatusOr<bool> changed = pass.Run(graph, context);
  if (!changed.ok()) return changed;
  EXPECT_EQ(*changed, before != Fingerprint(graph))
      << pass.name() << " says that it " << (*changed ? "changed" : "did not change")
      << " the graph:\n"
      << PrintGraph(graph);
  graph.set_stage(pass.gives());
  absl::Status valid = Verify(graph);
  EXPECT_TRUE(valid.ok()) << pass.name() << ": " << valid << "\n" << PrintGraph(graph);
  return changed;
}

}  // namespace

TestMachine::TestMachine() {
  symbols[Symbol::kT] = {1, 8};
  symbols[Symbol::kR] = {1, 2};
  symbols[Symbol::kS] = {1, 32};
  policy.name = "test";
  policy.rules = {RuleFor("all", {Target::kScalar})};
}

PassContext TestMachine::Context() const {
  return {.symbols = symbols,
          .policy = &policy,
          .catalog = &catalog,
          .machine = description ? &*description : nullptr,
          .candidates = candidates};
}

Rule RuleFor(std::string name, std::vector<Target> targets) {
  Rule rule;
  rule.name = std::move(name);
  rule.targets = std::move(targets);
  return rule;
}

Graph GraphOf(std::string_view text) {
  absl::StatusOr<Graph> graph = ParseGraph(text);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status() << "\n" << text;
    return Graph();
  }
  absl::Status valid = Verify(*graph);
  EXPECT_TRUE(valid.ok()) << valid << "\n" << text;
  return *std::move(graph);
}

void ExpectRewrite(std::unique_ptr<Pass> pass, std::string_view before, std::string_view after,
                   const TestMachine& machine) {
  Graph graph = GraphOf(before);
  Graph expected = GraphOf(after);
  absl::StatusOr<bool> changed = RunAndCheck(*pass, graph, machine);
  ASSERT_TRUE(changed.ok()) << changed.status() << "\n" << before;
  EXPECT_TRUE(*changed) << pass->name() << " changed nothing in\n" << before;
  EXPECT_EQ(PrintGraph(graph, NameStyle::kRenumbered), PrintGraph(expected, NameStyle::kRenumbered))
      << "found\n"
      << PrintGraph(graph) << "expected\n"
      << PrintGraph(expected);
  if (pass->gives() != pass->needs()) return;
  absl::StatusOr<bool> again = RunAndCheck(*pass, graph, machine);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << PrintGraph(graph);
  EXPECT_FALSE(*again) << pass->name() << " changes its own result:\n" << PrintGraph(graph);
}

void ExpectUnchanged(std::unique_ptr<Pass> pass, std::string_view text,
                     const TestMachine& machine) {
  Graph graph = GraphOf(text);
  absl::StatusOr<bool> changed = RunAndCheck(*pass, graph, machine);
  ASSERT_TRUE(changed.ok()) << changed.status() << "\n" << text;
  EXPECT_FALSE(*changed) << pass->name() << " made\n" << PrintGraph(graph) << "of\n" << text;
}

void ExpectRefusal(std::unique_ptr<Pass> pass, std::string_view text, std::string_view reason,
                   const TestMachine& machine) {
  Graph graph = GraphOf(text);
  std::vector<std::string> refusals;
  absl::StatusOr<bool> changed = RunAndCheck(*pass, graph, machine, &refusals);
  ASSERT_TRUE(changed.ok()) << changed.status() << "\n" << text;
  EXPECT_FALSE(*changed) << pass->name() << " made\n" << PrintGraph(graph) << "of\n" << text;
  EXPECT_THAT(refusals, ::testing::Contains(::testing::HasSubstr(std::string(reason))));
}

void ExpectError(std::unique_ptr<Pass> pass, std::string_view text, std::string_view substring,
                 const TestMachine& machine) {
  Graph graph = GraphOf(text);
  absl::StatusOr<bool> changed = RunAndCheck(*pass, graph, machine);
  ASSERT_FALSE(changed.ok()) << pass->name() << " made\n" << PrintGraph(graph);
  std::string message(ToStd(changed.status().message()));
  EXPECT_THAT(message, ::testing::HasSubstr(std::string(substring)));
  EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("\n")));
}

Graph RunPass(std::unique_ptr<Pass> pass, std::string_view text, const TestMachine& machine) {
  Graph graph = GraphOf(text);
  absl::StatusOr<bool> changed = RunAndCheck(*pass, graph, machine);
  EXPECT_TRUE(changed.ok()) << changed.status() << "\n" << text;
  return graph;
}

Graph PlannedGraph(std::string_view text, const TestMachine& machine) {
  const std::string placed = PrintGraph(RunPass(MakePlaceNodes(), text, machine));
  const std::string scheduled = PrintGraph(RunPass(MakeScheduleNodes(), placed, machine));
  return RunPass(MakePlanMemory(), scheduled, machine);
}

}  // namespace infer::test
