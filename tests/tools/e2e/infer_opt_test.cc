// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "ir/text/parser.h"
#include "passes/registry.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kImported = R"(graph @g stage(imported) (%x: f32[T,4]) {
  %w = weight() {name = "w"} : f32[4]
  %n = rms_norm(%x, %w) {eps = 1e-06} : f32[T,4]
  %dead = silu(%x) : f32[T,4]
  %y = silu(%n) : f32[T,4]
  return %y
}
)";

class InferOpt : public ::testing::Test {
 protected:
  InferOpt() { WriteFile(Path("g.graph"), kImported); }

  std::string Path(const std::string& name) const { return dir_.Path(name); }
  // Of the graph above.
  std::string Opt(std::vector<std::string> args) {
    args.push_back(Path("g.graph"));
    return OutputOf("infer-opt", std::move(args));
  }
  static void ExpectFailure(std::vector<std::string> args, int code, const std::string& message) {
    CapturedRun run = RunNamed("infer-opt", std::move(args));
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  }

  TempDir dir_;
};

TEST_F(InferOpt, WithoutPassesPrintsTheGraphAsItIs) { EXPECT_EQ(Opt({}), kImported); }

TEST_F(InferOpt, ReadsStdinAndWritesAFile) {
  StdinText graph(kImported);
  EXPECT_EQ(OutputOf("infer-opt", {"-o", Path("out.graph")}), "");
  EXPECT_EQ(ReadFile(Path("out.graph")), kImported);
}

TEST_F(InferOpt, RunsThePassesThatAreNamedInTheirOrder) {
  std::string bound = Opt({"--passes", "bind-shapes"});
  EXPECT_THAT(bound,
              StartsWith("graph @g stage(bound) symbols(T = 1..512, R = 1..1, S = 1..4096)"));
  EXPECT_THAT(bound, HasSubstr("%dead"));
  std::string simpler = Opt({"--passes", "bind-shapes,remove-dead-nodes"});
  EXPECT_THAT(simpler, Not(HasSubstr("%dead")));
  EXPECT_THAT(simpler, HasSubstr("rms_norm"));
  EXPECT_EQ(Opt({"--passes", "bind-shapes", "--passes", "remove-dead-nodes"}), simpler);
}

TEST_F(InferOpt, WhatItPrintsItReads) {
  WriteFile(Path("bound.graph"), Opt({"--passes", "bind-shapes"}));
  EXPECT_EQ(OutputOf("infer-opt", {"--passes", "legalize,place-nodes", Path("bound.graph")}),
            Opt({"--passes", "bind-shapes,legalize,place-nodes"}));
}

TEST_F(InferOpt, RunsTheWholePipelineFromTheStageOfTheGraph) {
  std::string planned = Opt({"--passes", "all"});
  EXPECT_THAT(planned, StartsWith("graph @g stage(planned)"));
  EXPECT_TRUE(ParseGraph(planned).ok());
  WriteFile(Path("bound.graph"), Opt({"--passes", "bind-shapes"}));
  EXPECT_EQ(OutputOf("infer-opt", {"--passes", "all", Path("bound.graph")}), planned);
  EXPECT_THAT(Opt({"--passes", "all", "--skip", "remove-dead-nodes"}), HasSubstr("%dead"));
}

TEST_F(InferOpt, TakesRangesAndPolicyFromTheCommandLine) {
  EXPECT_THAT(Opt({"--passes", "bind-shapes", "-ub", "16", "--logit-rows", "4", "-c", "64"}),
              HasSubstr("symbols(T = 1..16, R = 1..4, S = 1..64)"));
  EXPECT_THAT(Opt({"--passes", "bind-shapes", "-ub", "2", "--logit-rows", "4"}),
              HasSubstr("R = 1..2"))
      << "no more rows than tokens";
  EXPECT_THAT(Opt({"--passes", "bind-shapes,legalize", "--policy", "reference"}),
              HasSubstr("row_sum_squares"));
}

TEST_F(InferOpt, RefusesWhatIsNoGraphBeforeItHasReadAllOfIt) {
  ExpectFailure({"/dev/zero"}, 3, "/dev/zero: is not a graph as text");
  ExpectFailure({BundledModelPath()}, 3, "is not a graph as text");
  WriteFile(Path("comments.graph"), "# " + std::string(505, 'x') + "\n" + kImported);
  EXPECT_EQ(OutputOf("infer-opt", {Path("comments.graph")}), kImported);
}

TEST_F(InferOpt, ListsThePasses) {
  std::string table = OutputOf("infer-opt", {"--list-passes"});
  for (const PassInfo& info : AllPasses()) {
    EXPECT_THAT(table, HasSubstr(info.name));
    EXPECT_THAT(table, HasSubstr(std::string(info.summary)));
  }
  EXPECT_THAT(table, StartsWith("pass "));
}

TEST_F(InferOpt, DumpsAndTimesPasses) {
  CapturedRun run = RunNamed(
      "infer-opt", {"-q", "--passes", "bind-shapes,remove-dead-nodes", "--dump-after", "all",
                    "--dump-before", "bind-shapes", "--dump-dir", Path("d"), "--print-pass-times",
                    "--pass-log", Path("log.json"), Path("g.graph")});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(ReadFile(Path("d/01-bind-shapes.before.graph")), kImported);
  EXPECT_EQ(ReadFile(Path("d/02-remove-dead-nodes.after.graph")), run.out);
  EXPECT_THAT(run.err, HasSubstr("bind-shapes"));  // asked for: with -q too
  EXPECT_THAT(run.err, HasSubstr("sum"));
  EXPECT_THAT(ReadFile(Path("log.json")), HasSubstr("\"remove-dead-nodes\""));
}

TEST_F(InferOpt, NamesThePlaceOfAnErrorInTheText) {
  WriteFile(Path("bad.graph"), "graph @g stage(imported) (%x: f32[T,4]) {\n  %y = silo(%x)\n}\n");
  ExpectFailure({Path("bad.graph")}, 3, "bad.graph: 2:");
  WriteFile(Path("wrong.graph"),
            "graph @g stage(imported) (%x: f32[T,4]) {\n"
            "  %y = silu(%x) : f32[T,5]\n  return %y\n}\n");
  ExpectFailure({Path("wrong.graph")}, 3, "result 0 is f32[T,5], expected f32[T,4]");
  ExpectFailure({Path("none.graph")}, 3, "none.graph");
}

TEST_F(InferOpt, RefusesNamesAndOrdersThatMakeNoSense) {
  std::string graph = Path("g.graph");
  ExpectFailure({"--passes", "bind-shape", graph}, 2, "did you mean bind-shapes?");
  ExpectFailure({"--passes", "place-nodes", graph}, 2,
                "pass place-nodes needs stage bound but follows stage imported");
  ExpectFailure({"--passes", "all,legalize", graph}, 2, "--passes all");
  ExpectFailure({"--skip", "legalize", graph}, 2, "--passes all");
  ExpectFailure({"--passes", "all", "--skip", "plan-memory", graph}, 2, "cannot be skipped");
  ExpectFailure({"--dump-after", "all", graph}, 2, "--dump-dir");
  ExpectFailure({"--dump-dir", Path("d"), graph}, 2, "--dump-after");
  ExpectFailure({"--dump-after", "legalise", "--dump-dir", Path("d"), graph}, 2,
                "did you mean legalize?");
  ExpectFailure({"--policy", "scalr", graph}, 3, "scalr");
  ExpectFailure({"-ub", "0", graph}, 2, "-ub");
}

}  // namespace
}  // namespace infer
