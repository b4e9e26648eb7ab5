// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "ir/proto/serialize.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/api/compile_model.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class InferCompile : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return dir_.Path(name); }
  std::string Compile(std::vector<std::string> args) {
    return OutputOf("infer-compile", std::move(args));
  }
  // Puts the bundled model beside what the test writes.
  std::string CopyModel() const {
    std::filesystem::copy_file(BundledModelPath(), Path("tiny-tales-q8_0.gguf"));
    return Path("tiny-tales-q8_0.gguf");
  }
  // Compiling takes another time each time.
  static std::string WithoutTime(std::string summary) {
    size_t end = summary.find(" ms\n");
    EXPECT_NE(end, std::string::npos) << summary;
    size_t begin = summary.rfind(' ', end - 1);
    return summary.erase(begin, end - begin);
  }
  // A policy with rules from 4 and from 8 rows, all on scalar: three regimes.
  std::string ThreeRegimes() const {
    WriteFile(Path("three.textproto"), R"(
      name: "three" summary: "for tests"
      rule { name: "from-8" min_rows: 8 targets: [SCALAR] }
      rule { name: "from-4" min_rows: 4 targets: [SCALAR] }
      rule { name: "all" targets: [SCALAR] })");
    return Path("three.textproto");
  }
  static std::vector<std::string> Generation(std::vector<std::string> args) {
    args.insert(args.end(), {"-p", "Once upon a time", "-n", "24", "--temp", "0", "--emit", "ids"});
    return args;
  }

  TempDir dir_;
};

TEST_F(InferCompile, AStoredProgramGivesTheSameTokens) {
  Compile({"-o", Path("p.pb")});
  std::string expected = OutputOf("infer-run", Generation({}));
  EXPECT_EQ(OutputOf("infer-run", Generation({"-g", Path("p.pb"), "-m", BundledModelPath()})),
            expected);
  EXPECT_EQ(OutputOf("infer-run", Generation({"-g", Path("p.pb")})), expected)
      << "the bundled model need not be beside it";
  CopyModel();
  EXPECT_EQ(OutputOf("infer-run", Generation({"-g", Path("p.pb")})), expected);
  EXPECT_EQ(OutputOf("infer-run", Generation({"-g", Path("p.pb"), "-c", "64", "--kv", "paged"})),
            expected);
  // Decomposed attention has values as long as the context.
  Compile({"-o", Path("scalar.pb"), "--policy", "scalar"});
  CapturedRun longer = RunNamed("infer-run", Generation({"-g", Path("scalar.pb"), "-c", "4096"}));
  EXPECT_EQ(longer.code, 3);
  EXPECT_THAT(longer.err,
              HasSubstr("asked for 4096; compile it again for that context (infer-compile -c)"));
}

TEST_F(InferCompile, AStoredProgramRefusesOtherWeights) {
  Compile({"-o", Path("p.pb")});
  CapturedRun other = RunNamed(
      "infer-run", Generation({"-g", Path("p.pb"), "-m", TestData("tiny-tales-f16.gguf")}));
  EXPECT_EQ(other.code, 3);
  EXPECT_THAT(other.err, HasSubstr("the program was compiled from tiny-tales-q8_0.gguf"));
  // Same header, same shapes, another value in the last weight's last block.
  std::string model = CopyModel();
  std::string bytes = ReadFile(model);
  bytes.back() = static_cast<char>(bytes.back() ^ 1);
  WriteFile(model, bytes);
  CapturedRun changed = RunNamed("infer-run", Generation({"-g", Path("p.pb"), "-q"}));
  EXPECT_EQ(changed.code, 3);
  EXPECT_EQ(changed.out, "");
  EXPECT_THAT(changed.err, HasSubstr("has other values than the program was compiled from"));
}

TEST_F(InferCompile, FullHashesSeeAByteThatSamplesMiss) {
  Compile({"-o", Path("sampled.pb")});
  Compile({"-o", Path("full.pb"), "--hash", "full"});
  std::string model = CopyModel();
  EXPECT_EQ(RunNamed("infer-run", Generation({"-g", Path("full.pb"), "--verify-weights"})).code, 0);

  nlohmann::json tensors = nlohmann::json::parse(
      OutputOf("gguf-inspect", {model, "--tensors", "--grep", "^token_embd", "--format", "json"}));
  // Samples are pages at the ends and thirds of a weight: its middle is none of them.
  size_t middle = tensors["tensors"][0]["offset"].get<size_t>() +
                  tensors["tensors"][0]["bytes"].get<size_t>() / 2;
  std::string bytes = ReadFile(model);
  bytes[middle] = static_cast<char>(bytes[middle] ^ 1);
  WriteFile(model, bytes);
  EXPECT_EQ(RunNamed("infer-run", Generation({"-g", Path("full.pb")})).code, 0);
  CapturedRun run = RunNamed("infer-run", Generation({"-g", Path("full.pb"), "--verify-weights"}));
  EXPECT_EQ(run.code, 3);
  EXPECT_THAT(run.err, HasSubstr("weight token_embd.weight has other values"));

  CapturedRun none =
      RunNamed("infer-run", Generation({"-g", Path("sampled.pb"), "--verify-weights"}));
  EXPECT_EQ(none.code, 3);
  EXPECT_THAT(none.err, HasSubstr("infer-compile --hash full"));
}

TEST_F(InferCompile, TwiceGivesTheSameBytes) {
  Compile({"-o", Path("a.pb")});
  Compile({"-o", Path("b.pb"), "--emit", "pb"});
  EXPECT_EQ(ReadFile(Path("a.pb")), ReadFile(Path("b.pb")));
}

TEST_F(InferCompile, EveryFormHoldsTheSameProgram) {
  for (const char* name : {"p.pb", "p.pbtxt", "p.json", "p.txt"}) Compile({"-o", Path(name)});
  std::string bytes = ReadFile(Path("p.pb"));
  EXPECT_TRUE(DeserializeProgram(bytes, "p.pb").ok());
  absl::StatusOr<Program> parsed = ParseProgram(ReadFile(Path("p.txt")));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*SerializeProgram(*parsed), bytes);
  EXPECT_EQ(ReadFile(Path("p.pbtxt")), *ProgramToTextproto(*parsed));
  nlohmann::json json = nlohmann::json::parse(ReadFile(Path("p.json")), nullptr, false);
  EXPECT_TRUE(json.is_object());
  EXPECT_EQ(Compile({"-o", "-"}), ReadFile(Path("p.txt")));
  EXPECT_EQ(Compile({"--emit", "json"}), ReadFile(Path("p.json")));
  EXPECT_EQ(Compile({"--emit", "pb", "-o", "-"}), bytes);
}

TEST_F(InferCompile, ShowsTheGraphAtAnyStage) {
  // 16 tokens have one regime on every CPU.
  for (const char* stage : {"imported", "bound", "placed", "scheduled", "planned"}) {
    std::string text = Compile({"--stage", stage, "-ub", "16"});
    EXPECT_THAT(text, StartsWith(StrCat("graph @qwen3 stage(", stage, ")"))) << stage;
    EXPECT_TRUE(ParseGraph(text).ok()) << stage << ": " << ParseGraph(text).status();
  }
  nlohmann::json json =
      nlohmann::json::parse(Compile({"--stage", "placed", "--emit", "json", "-ub", "16"}));
  EXPECT_EQ(json["graph"]["name"], "qwen3");
  Compile({"--stage", "bound", "-ub", "16", "-o", Path("bound.pb")});
  absl::StatusOr<Graph> bound = DeserializeGraph(ReadFile(Path("bound.pb")), "bound.pb");
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(PrintGraph(*bound), Compile({"--stage", "bound", "-ub", "16"}));
  std::string all = Compile({"--stage", "all", "-o", Path("all.txt")});
  EXPECT_THAT(all, HasSubstr("memory\n"));
  std::string dump = ReadFile(Path("all.txt"));
  for (const char* pass :
       {"# imported\n", "# bind-shapes\n", "# legalize, regime of T 1..", "# place-nodes, regime",
        "# schedule-nodes, regime", "# plan-memory, regime"}) {
    EXPECT_TRUE(dump.find(pass) != std::string::npos) << pass;
  }
}

TEST_F(InferCompile, SummaryAndDryRunPrintTheMemoryTable) {
  std::string summary = WithoutTime(Compile({"-o", Path("p.pb")}));
  EXPECT_THAT(summary, HasSubstr("policy   " + DefaultPolicy() + "\n"));
  for (const char* part : {"model    tiny-tales-q8_0.gguf\n", "S 1..2048", "weights (gguf)",
                           "kv at full context", "arena", "tokenizer", "other", "total",
                           " nodes per layer (21 before", "barriers", "estimate"}) {
    EXPECT_THAT(summary, HasSubstr(part));
  }
  EXPECT_EQ(WithoutTime(Compile({"--dry-run"})), summary);
  EXPECT_EQ(WithoutTime(Compile({})), summary);
  EXPECT_THAT(Compile({"--dry-run", "-c", "256"}), HasSubstr("S 1..256"));
}

TEST_F(InferCompile, SaysWhatInvarianceCosts) {
  EXPECT_THAT(OutputOf("infer-compile", {"-q"}), Not(HasSubstr("invariant")));
  EXPECT_THAT(OutputOf("infer-compile", {"-q", "--invariant"}),
              HasSubstr(" % time by the estimates\n"));
  const auto json =
      nlohmann::json::parse(OutputOf("infer-compile", {"-q", "--invariant", "--format", "json"}));
  EXPECT_EQ(json["invariant"], true);
  EXPECT_EQ(json["invariant_costs"].size(), 2u);
}

TEST_F(InferCompile, LeavesNoPartOfAFile) {
  CapturedRun missing = RunNamed("infer-compile", {"-o", Path("no/such/folder/p.pb")});
  EXPECT_EQ(missing.code, 1);
  EXPECT_THAT(missing.err, HasSubstr("p.pb"));
  EXPECT_EQ(missing.out, "");
  EXPECT_EQ(RunNamed("infer-compile", {"-o", Path("p.pb"), "-m", Path("none.gguf")}).code, 3);
  if (std::filesystem::exists("/dev/full")) {
    EXPECT_EQ(RunNamed("infer-compile", {"-o", "/dev/full"}).code, 1);
  }
  EXPECT_THAT(dir_.Names(), ElementsAre());
}

TEST_F(InferCompile, RefusesContradictions) {
  auto expect_usage = [](std::vector<std::string> args, const std::string& message) {
    CapturedRun run = RunNamed("infer-compile", args);
    EXPECT_EQ(run.code, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  };
  expect_usage({"--emit", "pb"}, "-o");
  expect_usage({"--stage", "all", "--emit", "json"}, "--emit text");
  expect_usage({"--dry-run", "-o", Path("x.pb")}, "--output with --dry-run");
  expect_usage({"--dry-run", "--stage", "all"}, "--stage with --dry-run");
  expect_usage({"--dry-run", "--hash", "full"}, "--hash with --dry-run");
  expect_usage({"--stage", "boundd"}, "did you mean bound");
  EXPECT_EQ(RunNamed("infer-compile", {"--extra-result", "nope"}).code, 3);
}

TEST_F(InferCompile, ShowsEveryRegime) {
  std::string policy = ThreeRegimes();
  std::string summary = Compile({"--policy", policy});
  for (const char* interval : {"\n  1..3 ", "\n  4..7 ", "\n  8..512 "}) {
    EXPECT_THAT(summary, HasSubstr(interval));
  }
  std::string placed = Compile({"--policy", policy, "--stage", "placed"});
  size_t second = placed.find("# regime of T 4..7\n");
  EXPECT_EQ(placed.find("# regime of T 1..3\ngraph @qwen3 stage(placed)"), 0u);
  ASSERT_NE(second, std::string::npos);
  EXPECT_NE(placed.find("# regime of T 8..512\n"), std::string::npos);
  EXPECT_TRUE(ParseGraph(placed.substr(0, second)).ok());
  CapturedRun json =
      RunNamed("infer-compile", {"--policy", policy, "--stage", "placed", "--emit", "json"});
  EXPECT_EQ(json.code, 2);
  EXPECT_THAT(json.err, HasSubstr("is 3 graphs"));
}

TEST_F(InferCompile, RegimesGiveTheSameTokensAsOne) {
  std::string policy = ThreeRegimes();
  std::vector<std::string> prompt = {
      "--ids", "5,6,7,8,9,10,11,12,13,14", "-n", "24", "--temp", "0", "--emit", "ids"};
  std::vector<std::string> scalar = prompt;
  scalar.insert(scalar.end(), {"--policy", "scalar"});
  std::string expected = OutputOf("infer-run", scalar);
  prompt.insert(prompt.end(), {"--policy", policy});
  EXPECT_EQ(OutputOf("infer-run", prompt), expected);
  prompt.insert(prompt.end(), {"-ub", "9"});  // the largest regime, then the smallest
  EXPECT_EQ(OutputOf("infer-run", prompt), expected);
}

TEST_F(InferCompile, DumpsGraphsAroundPasses) {
  Compile({"--policy", ThreeRegimes(), "--dump-after", "all", "--dump-before",
           "bind-shapes,place-nodes", "--dump-dir", Path("d")});
  EXPECT_THAT(ReadFile(Path("d/01-bind-shapes.before.graph")),
              StartsWith("graph @qwen3 stage(imported)"));
  EXPECT_TRUE(ParseGraph(ReadFile(Path("d/01-bind-shapes.after.graph"))).ok());
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Path("d"))) {
    names.push_back(entry.path().filename().string());
  }
  auto count = [&](std::string_view part) {
    return std::count_if(names.begin(), names.end(), [&](const std::string& name) {
      return name.find(part) != std::string::npos;
    });
  };
  for (const char* interval : {"T1-3", "T4-7", "T8-512"}) {
    EXPECT_EQ(count(StrCat("-place-nodes.", interval, ".before.graph")), 1) << interval;
    EXPECT_EQ(count(StrCat("-plan-memory.", interval, ".after.graph")), 1) << interval;
  }
  EXPECT_EQ(count(".before."), 4);
}

TEST_F(InferCompile, DumpsOnlyWhatIsNamed) {
  Compile({"--dump-after=legalize", "--dump-dir", Path("d"), "--dry-run"});
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(Path("d"))) {
    EXPECT_THAT(entry.path().filename().string(),
                ::testing::MatchesRegex(".*-legalize.T[0-9]+-[0-9]+.after.graph"));
    ++files;
  }
  EXPECT_EQ(files, static_cast<int>(
                       nlohmann::json::parse(Compile({"--format", "json"}))["regimes"].size()));
}

TEST_F(InferCompile, PrintsATableOfPassTimes) {
  CapturedRun run = RunNamed("infer-compile", {"--print-pass-times"});
  EXPECT_EQ(run.code, 0);
  for (const char* part : {"bind-shapes", "plan-memory", "..512", " -> ", "yes", "sum"}) {
    EXPECT_THAT(run.err, HasSubstr(part));
  }
  EXPECT_THAT(run.out, HasSubstr("memory\n")) << "stdout has the summary alone";
}

TEST_F(InferCompile, WritesALogOfThePasses) {
  Compile({"--policy", ThreeRegimes(), "--pass-log", Path("log.json")});
  nlohmann::json log = nlohmann::json::parse(ReadFile(Path("log.json")));
  EXPECT_EQ(log["schema_version"], 1);
  EXPECT_EQ(log["program"]["model"], "tiny-tales-q8_0.gguf");
  EXPECT_EQ(log["program"]["key"].get<std::string>().size(), 16u);
  const nlohmann::json& first = log["passes"][0];
  EXPECT_EQ(first["name"], "bind-shapes");
  EXPECT_EQ(first["regime"], 0);
  EXPECT_EQ(first["changed"], true);
  EXPECT_GE(first["ms"].get<double>(), 0);
  EXPECT_NE(first["before"], first["after"]);
  const nlohmann::json& last = log["passes"].back();
  EXPECT_EQ(last["name"], "plan-memory");
  EXPECT_EQ(last["regime"], 3);
  EXPECT_EQ(last["tokens"], nlohmann::json::parse("[8, 512]"));
  std::string planned = log["graphs"][last["after"].get<size_t>()];
  EXPECT_THAT(planned.substr(0, 40), StartsWith("graph @qwen3 stage(planned)"));
  for (const nlohmann::json& pass : log["passes"]) {
    bool moved = pass["before"] != pass["after"];
    if (pass["changed"].get<bool>()) {
      EXPECT_TRUE(moved) << pass["name"];
    }
  }
}

TEST_F(InferCompile, SkipsPasses) {
  std::string graph = Compile({"--skip", "fuse-swiglu,fuse-projections", "--stage", "all"});
  EXPECT_EQ(graph.find("# fuse-swiglu"), std::string::npos);
  EXPECT_NE(graph.find("# fuse-add-rms-norm"), std::string::npos);
  EXPECT_EQ(graph.find("multi_linear("), std::string::npos);
}

TEST_F(InferCompile, RefusesPassesThatItCannotSkipOrDump) {
  auto expect_usage = [](std::vector<std::string> args, const std::string& message) {
    for (const char* tool : {"infer-compile", "infer-run", "infer-eval"}) {
      if (args[0] != "--skip" && std::string(tool) != "infer-compile") continue;
      std::vector<std::string> all = args;
      if (std::string(tool) == "infer-run") all.insert(all.end(), {"-p", "x"});
      if (std::string(tool) == "infer-eval") {
        all.insert(all.begin(), "logits");
        all.insert(all.end(), {"--ids", "1", "-o", "-"});
      }
      CapturedRun run = RunNamed(tool, all);
      EXPECT_EQ(run.code, 2) << tool << ": " << run.err;
      EXPECT_THAT(run.err, HasSubstr(message)) << tool;
      EXPECT_EQ(run.out, "");
    }
  };
  expect_usage({"--skip", "legalise"}, "did you mean legalize?");
  expect_usage({"--skip", "bind-shapes"}, "cannot be skipped: it takes the graph from stage");
  expect_usage({"--dump-after", "all"}, "--dump-dir");
  expect_usage({"--dump-dir", "d"}, "--dump-after");
  expect_usage({"--dump-before", "nothing", "--dump-dir", "d"}, "unknown pass");
  CapturedRun needed = RunNamed("infer-compile", {"--policy", "reference", "--skip", "legalize"});
  EXPECT_EQ(needed.code, 3);
  EXPECT_THAT(needed.err, HasSubstr("pass legalize cannot be skipped with policy reference"));
  CapturedRun stored = RunNamed("infer-run", {"-g", "p.pb", "--skip", "legalize", "-p", "x"});
  EXPECT_EQ(stored.code, 2);
  EXPECT_THAT(stored.err, HasSubstr("--skip with a stored program"));
}

TEST_F(InferCompile, SaysWhereDumpsCannotGo) {
  WriteFile(Path("file"), "");
  CapturedRun run =
      RunNamed("infer-compile", {"--dump-after", "all", "--dump-dir", Path("file/below")});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, HasSubstr("--dump-dir"));
}

}  // namespace
}  // namespace infer
