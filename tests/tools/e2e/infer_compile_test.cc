// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/serialize.h"
#include "ir/strings.h"
#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class InferCompile : public testing::Test {
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
  CapturedRun lonely = RunNamed("infer-run", Generation({"-g", Path("p.pb")}));
  EXPECT_EQ(lonely.code, 3);
  EXPECT_THAT(lonely.err, HasSubstr("its model tiny-tales-q8_0.gguf is not beside it"));
  CopyModel();
  EXPECT_EQ(OutputOf("infer-run", Generation({"-g", Path("p.pb")})), expected);
  EXPECT_EQ(OutputOf("infer-run", Generation({"-g", Path("p.pb"), "-c", "64", "--kv", "paged"})),
            expected);
  CapturedRun longer = RunNamed("infer-run", Generation({"-g", Path("p.pb"), "-c", "4096"}));
  EXPECT_EQ(longer.code, 3);
  EXPECT_THAT(longer.err, HasSubstr("infer-compile -c 4096"));
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
  for (const char* stage : {"imported", "bound", "placed", "scheduled", "planned"}) {
    std::string text = Compile({"--stage", stage});
    EXPECT_THAT(text, StartsWith(StrCat("graph @qwen3 stage(", stage, ")"))) << stage;
    EXPECT_TRUE(ParseGraph(text).ok()) << stage << ": " << ParseGraph(text).status();
  }
  nlohmann::json json = nlohmann::json::parse(Compile({"--stage", "placed", "--emit", "json"}));
  EXPECT_EQ(json["graph"]["name"], "qwen3");
  Compile({"--stage", "bound", "-o", Path("bound.pb")});
  absl::StatusOr<Graph> bound = DeserializeGraph(ReadFile(Path("bound.pb")), "bound.pb");
  ASSERT_TRUE(bound.ok()) << bound.status();
  EXPECT_EQ(PrintGraph(*bound), Compile({"--stage", "bound"}));
  std::string all = Compile({"--stage", "all", "-o", Path("all.txt")});
  EXPECT_THAT(all, HasSubstr("memory\n"));
  std::string dump = ReadFile(Path("all.txt"));
  for (const char* pass : {"# imported\n", "# bind-shapes\n", "# legalize\n", "# place-nodes\n",
                           "# schedule-nodes\n", "# plan-memory\n"}) {
    EXPECT_THAT(dump, HasSubstr(pass));
  }
}

TEST_F(InferCompile, SummaryAndDryRunPrintTheMemoryTable) {
  std::string summary = Compile({"-o", Path("p.pb")});
  for (const char* part :
       {"model    tiny-tales-q8_0.gguf\n", "policy   scalar\n", "S 1..2048", "weights (gguf)",
        "kv at full context", "arena", "tokenizer", "other", "total"}) {
    EXPECT_THAT(summary, HasSubstr(part));
  }
  EXPECT_EQ(Compile({"--dry-run"}), summary);
  EXPECT_EQ(Compile({}), summary);
  EXPECT_THAT(Compile({"--dry-run", "-c", "256"}), HasSubstr("S 1..256"));
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

}  // namespace
}  // namespace infer
