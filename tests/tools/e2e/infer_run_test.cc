// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "tests/backends/parallel/tbb_under_sanitizer.h"
#include "tests/tools/e2e/tool_run.h"
#include "tools/api/compile_model.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kTale[] = ", a playful hamster named Tilly lived in a small silver ship";

// By the plain loops, which give the same text on every machine.
std::string Generated(std::vector<std::string> args) {
  if (std::ranges::count(args, "--policy") == 0) args.insert(args.end(), {"--policy", "scalar"});
  return OutputOf("infer-run", std::move(args));
}

TEST(InferRun, ContinuesAPromptWithTheBundledModel) {
  EXPECT_THAT(Generated({"-p", "Once upon a time", "-n", "16", "--temp", "0"}), StartsWith(kTale));
}

TEST(InferRun, TakesThePromptFromFlagFileAndStdinAlike) {
  TempDir dir;
  WriteFile(dir.Path("prompt"), "Once upon a time");
  std::string expected = Generated({"-p", "Once upon a time", "-n", "8", "--temp", "0"});
  EXPECT_EQ(Generated({"-f", dir.Path("prompt"), "-n", "8", "--temp", "0"}), expected);
  EXPECT_EQ(
      Generated({"-m", BundledModelPath(), "-p", "Once upon a time", "-n", "8", "--temp", "0"}),
      expected);
  for (std::vector<std::string> args : {std::vector<std::string>{}, {"-f", "-"}}) {
    StdinText text("Once upon a time\n");
    args.insert(args.end(), {"-n", "8", "--temp", "0"});
    EXPECT_EQ(Generated(args), expected);
  }
}

TEST(InferRun, OneNewlineAtTheEndIsNotPartOfThePrompt) {
  TempDir dir;
  auto echoed = [&](const std::string& text, std::vector<std::string> args) {
    WriteFile(dir.Path("prompt"), text);
    args.insert(args.end(), {"-f", dir.Path("prompt"), "-n", "0", "--echo"});
    return Generated(args);
  };
  EXPECT_EQ(echoed("Once", {}), "Once\n");
  EXPECT_EQ(echoed("Once\n", {}), "Once\n");
  EXPECT_EQ(echoed("Once\r\n", {}), "Once\n");
  EXPECT_EQ(echoed("Once\n\n", {}), "Once\n\n");
  EXPECT_EQ(echoed("Once\n", {"--keep-newline"}), "Once\n\n");
  const std::string expected =
      Generated({"-p", "What is 2 + 3?", "--chat", "-n", "4", "--temp", "0"});
  StdinText text("What is 2 + 3?\n");
  EXPECT_EQ(Generated({"-f", "-", "--chat", "-n", "4", "--temp", "0"}), expected);
}

TEST(InferRun, MinusOneTokenMeansUntilTheEnd) {
  const std::string all =
      Generated({"-p", "Once upon a time", "-n", "-1", "--temp", "0", "-c", "300"});
  EXPECT_GT(all.size(), Generated({"-p", "Once upon a time", "-n", "20", "--temp", "0"}).size());
  const CapturedRun full =
      RunNamed("infer-run", {"-p", "Once", "-n", "-1", "--ignore-eos", "-c", "40", "--temp", "0"});
  EXPECT_EQ(full.code, 0);
  EXPECT_THAT(full.err, HasSubstr("the context of 40 tokens is full"));
}

TEST(InferRun, MinusOneIsARandomSeedThatIsShown) {
  auto seed = [](std::vector<std::string> args) {
    args.insert(args.end(), {"-p", "Once", "-n", "1", "-v"});
    const std::string err = RunNamed("infer-run", std::move(args)).err;
    const size_t begin = err.find(", seed ");
    return begin == std::string::npos ? err
                                      : err.substr(begin + 7, err.find('\n', begin) - begin - 7);
  };
  const std::string drawn = seed({"-s", "-1"});
  EXPECT_NE(drawn, seed({"-s", "-1"}));
  EXPECT_EQ(seed({"-s", drawn}), drawn);
  EXPECT_EQ(seed({"-s", "18446744073709551615"}), "18446744073709551615");
}

// The first ids of Hugging Face's continuation of this prompt
// (tests/data/reference/tiny_tales_f16).
TEST(InferRun, PrintsIdsWithCommas) {
  std::string ids = Generated({"-m", INFER_TEST_DATA "/tiny-tales-f16.gguf", "--ids",
                               "993,1312,258,556,395,284,258", "-n", "64", "--temp", "0",
                               "--ignore-eos", "--emit", "ids", "--policy", "reference"});
  EXPECT_THAT(ids, StartsWith("746,2709,474,2192,11,450,425,316,"));
  EXPECT_THAT(ids, EndsWith("\n"));
  EXPECT_EQ(std::count(ids.begin(), ids.end(), ','), 63);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), '\n'), 1);
}

TEST(InferRun, StopsAtAnEndTokenUnlessToldNotTo) {
  std::vector<std::string> args = {"--chat", "--think", "off", "-p", "What is 2 + 3?",
                                   "--emit", "ids",     "-n",  "40", "--temp",
                                   "0"};
  std::string ended = Generated(args);
  EXPECT_LT(std::count(ended.begin(), ended.end(), ','), 39);
  args.push_back("--ignore-eos");
  std::string longer = Generated(args);
  EXPECT_EQ(std::count(longer.begin(), longer.end(), ','), 39);
  ended.pop_back();
  EXPECT_THAT(longer, StartsWith(ended + ",4091"));
}

TEST(InferRun, SameSeedSameTextOtherSeedOtherText) {
  std::vector<std::string> args = {"-p", "Once upon a time", "-n", "48", "--temp", "1", "-s", "1"};
  std::string first = Generated(args);
  EXPECT_EQ(Generated(args), first);
  args.back() = "2";
  EXPECT_NE(Generated(args), first);
}

TEST(InferRun, EndsBeforeAStopString) {
  EXPECT_EQ(
      Generated({"-p", "Once upon a time", "--temp", "0", "--stop", "xyz", "--stop", "named Til"}),
      ", a playful hamster \n");
}

TEST(InferRun, MakesNothingOfNoTokens) { EXPECT_EQ(Generated({"-p", "Once", "-n", "0"}), "\n"); }

TEST(InferRun, EchoesThePromptInTheFormOfTheOutput) {
  std::vector<std::string> args = {"-p", "Once", "-n", "2", "--temp", "0", "--echo"};
  EXPECT_EQ(Generated(args), "Once upon a\n");
  args.insert(args.end(), {"--emit", "ids"});
  EXPECT_EQ(Generated(args), "993,1312,258\n");
  EXPECT_EQ(Generated({"--ids", "993", "-n", "2", "--temp", "0", "--echo"}), "Once upon a\n");
}

TEST(InferRun, CacheLayoutAndChunksDoNotChangeTheText) {
  std::vector<std::string> args = {"-p",     "Once upon a time, a playful hamster lived in a ship",
                                   "-n",     "40",
                                   "--temp", "0",
                                   "--emit", "ids"};
  std::string expected = Generated(args);
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), args.begin(), args.end());
    return Generated(more);
  };
  EXPECT_EQ(with({"--kv", "paged"}), expected);
  EXPECT_EQ(with({"-ub", "3"}), expected);
  EXPECT_EQ(with({"-ub", "1", "--kv", "paged", "-c", "100"}), expected);
  EXPECT_EQ(with({"--kv-type", "f32", "--kv", "paged"}), with({"--kv-type", "f32"}));
}

// The verbosity of a line follows from the first level that shows it.
TEST(InferRun, TheHeaderIsTwoLinesAndTheFooterOne) {
  const std::vector<std::string> args = {"-p", "Once", "-n", "3", "--temp", "0", "-s", "7"};
  auto run = [&](const std::string& flag) {
    std::vector<std::string> all = args;
    if (!flag.empty()) all.push_back(flag);
    const CapturedRun captured = RunNamed("infer-run", all);
    EXPECT_EQ(captured.out, " upon a time\n");
    return captured.err;
  };
  const std::string usual = run("");
  EXPECT_THAT(usual, ::testing::MatchesRegex(
                         "model    tiny-tales \\(.*\\)\n"
                         "run      policy .* on [0-9]+ threads?, context 2048, loaded in .* s\n"
                         "3 tokens at .* tokens/s; prompt of 1 token at .* tokens/s; "
                         "stopped at -n\n"));
  const std::string verbose = run("-v");
  EXPECT_THAT(verbose, HasSubstr("program  policy " + DefaultPolicy() + "; T 1.."));
  for (const char* part :
       {"\nprogram  ", "\ncpu      ", "\nthreads  ", " = min(affinity ", "\nload     ", "seed 7",
        "load_ms", "time_to_first_token_ms", "decode_tokens_per_second"}) {
    EXPECT_THAT(verbose, HasSubstr(part));
    EXPECT_THAT(usual, Not(HasSubstr(part)));
  }
  const std::string debug = run("-vv");
  for (const char* part : {"\nprompt   1 tokens", "\nended    max_tokens after 3 tokens"}) {
    EXPECT_THAT(debug, HasSubstr(part));
    EXPECT_THAT(verbose, Not(HasSubstr(part)));
  }
  EXPECT_THAT(debug, HasSubstr("load_ms"));
  EXPECT_EQ(run("-q"), "");
}

TEST(InferRun, FiguresAreShownIfAskedFor) {
  const CapturedRun text =
      RunNamed("infer-run", {"-p", "Once", "-n", "3", "--stats", "text", "-q"});
  EXPECT_THAT(text.err, StartsWith("load_ms"));
  const CapturedRun none =
      RunNamed("infer-run", {"-p", "Once", "-n", "3", "--stats", "none", "-v"});
  EXPECT_THAT(none.err, Not(HasSubstr("load_ms")));
  EXPECT_THAT(none.err, Not(HasSubstr("tokens/s")));
}

TEST(InferRun, TheHeaderCountsTheNodesOfEachRegimeAsInferCompileDoes) {
  const std::vector<std::string> place = {"--policy", "scalar", "--place",
                                          "op=swiglu,tokens>=8=simd"};
  std::vector<std::string> compile = {"--format", "json"}, run = {"-p", "Once", "-n", "1", "-v"};
  compile.insert(compile.end(), place.begin(), place.end());
  run.insert(run.end(), place.begin(), place.end());
  const auto json = nlohmann::json::parse(OutputOf("infer-compile", compile));
  std::string expected = "program  policy scalar, with " + json["overrides"][0].get<std::string>();
  ASSERT_EQ(json["regimes"].size(), 2u);
  for (const auto& regime : json["regimes"]) {
    const auto tokens = regime["tokens"].get<std::vector<int64_t>>();
    StrAppend(&expected, "; T ", tokens[0], "..", tokens[1], ": ");
    std::vector<std::string> counts;
    for (const auto& [target, count] : regime["nodes"].items()) {
      if (count > 0) counts.push_back(StrCat(target, " ", count.get<int64_t>()));
    }
    expected += absl::StrJoin(counts, ", ");
  }
  EXPECT_THAT(RunNamed("infer-run", run).err, HasSubstr(expected + "\n"));
}

TEST(InferRun, TheTextIsTheSameOnAnyThreads) {
  auto run = [](std::vector<std::string> args) {
    args.insert(args.end(), {"-p", "Once upon a time", "-n", "24", "--temp", "0", "-v"});
    return RunNamed("infer-run", std::move(args));
  };
  const std::string expected = run({"-t", "1"}).out;
  EXPECT_THAT(run({"-t", "1"}).err, HasSubstr("\nthreads  1 as asked; by itself "));
  EXPECT_EQ(run({"-t", "0"}).out, expected);
  EXPECT_EQ(run({"-t", "3"}).out, expected);
  if (kTbbLooksLikeRaces) return;
  const CapturedRun tbb = run({"-t", "3", "--threads-by", "tbb"});
  EXPECT_EQ(tbb.out, expected);
  EXPECT_THAT(tbb.err, HasSubstr(", by oneTBB\n"));
}

TEST(InferRun, JsonFiguresAreTheLastLineOfStderr) {
  CapturedRun run = RunNamed("infer-run", {"-p", "Once upon", "-n", "4", "--stats", "json"});
  ASSERT_THAT(run.err, EndsWith("}\n"));
  std::string line = run.err.substr(run.err.rfind('\n', run.err.size() - 2) + 1);
  nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  ASSERT_TRUE(json.is_object()) << line;
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["prefill_tokens"], 2);
  EXPECT_EQ(json["decode_tokens"], 3);
  for (const char* name : {"load_ms", "time_to_first_token_ms", "prefill_tokens_per_second",
                           "decode_tokens_per_second", "per_forward_ms_min", "per_forward_ms_max",
                           "per_forward_ms_mean", "peak_memory_bytes"}) {
    ASSERT_TRUE(json.contains(name)) << name;
    EXPECT_GT(json[name].get<double>(), 0) << name;
  }
}

TEST(InferRun, EndsWithAWarningWhenTheContextIsFull) {
  CapturedRun run =
      RunNamed("infer-run", {"-p", "Once upon a time", "-c", "10", "--temp", "0", "--emit", "ids"});
  EXPECT_EQ(run.code, 0);
  // Four of the prompt and six generated are in the cache; the seventh is known but has no place.
  EXPECT_EQ(std::count(run.out.begin(), run.out.end(), ','), 6);
  EXPECT_THAT(
      run.err,
      HasSubstr("warning: the text was cut: the context of 10 tokens is full; raise it with -c\n"));
}

TEST(InferRun, RefusesAPromptThatDoesNotFitBeforeTheModelIsLoaded) {
  auto refused = [](std::vector<std::string> args) {
    const CapturedRun run = RunNamed("infer-run", std::move(args));
    EXPECT_EQ(run.code, 4);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;  // no header
    return run.err;
  };
  EXPECT_EQ(refused({"-p", "Once upon a time", "-c", "3", "-n", "20"}),
            "error: the prompt takes 4 tokens, and the context holds 3; use -c 24, which leaves "
            "room for 20 new tokens\n");
  // The remedy works.
  EXPECT_EQ(RunNamed("infer-run", {"-p", "Once upon a time", "-c", "24", "-n", "20"}).code, 0);
  EXPECT_THAT(refused({"-p", "Once upon a time", "-c", "3", "-n", "-1"}), HasSubstr("use -c 260"));
  EXPECT_THAT(refused({"-p", "Once upon a time", "-c", "3", "-n", "5000"}),
              HasSubstr("use -c 2048"));
  EXPECT_THAT(refused({"--chat", "-p", "Hello", "-c", "5"}),
              HasSubstr("the message with the chat"));
  {
    StdinText none("");
    EXPECT_THAT(refused({"--chat", "-c", "5"}), HasSubstr("the chat format with the system"));
  }
  StdinText letters(std::string(1 << 20, 'a'));
  EXPECT_THAT(refused({}),
              HasSubstr("was trained for 2048 positions, so make the text shorter by"));
}

TEST(InferRun, DraftsGiveTheSameText) {
  const std::vector<std::string> args = {
      "-p",      "One day Lily and Tom went to the park. One day Lily and",
      "-n",      "60",
      "--stats", "json",
      "--seed",  "4"};
  for (const char* temperature : {"0", "0.9"}) {
    std::vector<std::string> plain = args;
    plain.insert(plain.end(), {"--temp", temperature});
    const CapturedRun without = RunNamed("infer-run", plain);
    EXPECT_THAT(without.err, HasSubstr("\"draft_proposed\":0"));
    for (const std::vector<std::string>& kind :
         {std::vector<std::string>{"--spec", "ngram"}, {"--draft-model", BundledModelPath()}}) {
      std::vector<std::string> drafted = plain;
      drafted.insert(drafted.end(), kind.begin(), kind.end());
      const CapturedRun with = RunNamed("infer-run", drafted);
      EXPECT_EQ(with.code, 0) << with.err;
      EXPECT_EQ(with.out, without.out);
      EXPECT_THAT(with.err, HasSubstr("\"draft_gain\":"));
      // A model as large as the other one is not worth asking.
      EXPECT_EQ(with.err.find("\"draft_proposed\":0") == std::string::npos, kind[0] == "--spec");
    }
  }
}

TEST(InferRun, ASmallerModelDraftsTheSameText) {
  TempDir dir;
  const std::string model = dir.Path("larger.gguf");
  OutputOf("infer-synth", {"--layers", "8", "--hidden", "512", "--heads", "8", "--kv-heads", "4",
                           "--head-dim", "64", "--ff", "1536", "--vocab-file", BundledModelPath(),
                           "--vocab-size", "4096", "-o", model, "-q"});
  const std::vector<std::string> args = {"-m",     model, "-p",           "One day", "-n",  "30",
                                         "--temp", "0",   "--ignore-eos", "--stats", "json"};
  std::vector<std::string> drafted = args;
  drafted.insert(drafted.end(), {"--draft-model", BundledModelPath(), "-v"});
  const CapturedRun with = RunNamed("infer-run", drafted);
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_EQ(with.out, RunNamed("infer-run", args).out);
  EXPECT_THAT(with.err, Not(HasSubstr("\"draft_proposed\":0")));
  EXPECT_THAT(with.err, HasSubstr("draft    tiny-tales ("));
}

TEST(InferRun, RefusesAModelThatCannotDraft) {
  const std::string other = TestData("random_untied.gguf");
  const CapturedRun run = RunNamed("infer-run", {"-p", "One", "-n", "2", "--draft-model", other});
  EXPECT_EQ(run.code, kExitBadInput);
  EXPECT_THAT(run.err, HasSubstr("cannot draft for"));
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "--spec", "draft"}).code, kExitUsage);
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "--spec", "ngram", "--draft-model", other}).code,
            kExitUsage);
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "--draft-model", ""}).code, kExitUsage);
}

TEST(InferRun, TheCommandLineDecidesAboutDrafts) {
  const Env env = {{"INFER_DRAFT_MODEL", TestData("random_untied.gguf")}};
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "-n", "2"}, env).code, kExitBadInput);
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "-n", "2", "--spec", "off"}, env).code, 0);
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "-n", "2", "--spec", "ngram"}, env).code, 0);
  const Env ngram = {{"INFER_SPEC", "ngram"}};
  EXPECT_EQ(RunNamed("infer-run", {"-p", "One", "--draft-model", "/none"}, ngram).code,
            kExitBadInput);
}

}  // namespace
}  // namespace infer
