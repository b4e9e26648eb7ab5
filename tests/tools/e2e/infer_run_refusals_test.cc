// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// One line of error, nothing on stdout, and the header not even begun.
void ExpectRefused(std::vector<std::string> args, int code, const std::string& message) {
  CapturedRun run = RunNamed("infer-run", args);
  EXPECT_EQ(run.code, code) << ::testing::PrintToString(args);
  EXPECT_EQ(run.out, "") << ::testing::PrintToString(args);
  EXPECT_THAT(run.err, StartsWith("error: ")) << ::testing::PrintToString(args);
  EXPECT_THAT(run.err, HasSubstr(message)) << ::testing::PrintToString(args);
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

TEST(InferRunRefusals, ValuesOutOfRangeAreUsageErrors) {
  ExpectRefused({"-p", "x", "--temp", "-1"}, 2, "temperature is -1");
  ExpectRefused({"-p", "x", "--top-k", "-1"}, 2, "top_k is -1");
  ExpectRefused({"-p", "x", "--top-p", "1.5"}, 2, "top_p is 1.5");
  ExpectRefused({"-p", "x", "--min-p", "-0.1"}, 2, "min_p is -0.1");
  ExpectRefused({"-p", "x", "--repeat-penalty", "0"}, 2, "repeat_penalty is 0");
  ExpectRefused({"-p", "x", "--repeat-last-n", "-1"}, 2, "repeat_last_n is -1");
  ExpectRefused({"-p", "x", "-n", "-2"}, 2, "--predict");
  ExpectRefused({"-p", "x", "-s", "-2"}, 2, "--seed: '-2' is not a seed");
  ExpectRefused({"-p", "x", "-s", "abc"}, 2, "--seed");
  ExpectRefused({"-p", "x", "-ub", "0"}, 2, "--ubatch-size");
  ExpectRefused({"-p", "x", "--kv-type", "f15"}, 2, "f16");
  ExpectRefused({"-p", "x", "--stop", ""}, 2, "stop string 1 is empty");
  ExpectRefused({"-p", "x", "--stop", std::string(300, 'x')}, 2, "stop string 1 has 300 bytes");
  std::vector<std::string> many = {"-p", "x"};
  for (int i = 0; i < 17; ++i) many.insert(many.end(), {"--stop", std::to_string(i)});
  ExpectRefused(many, 2, "17 stop strings");
}

TEST(InferRunRefusals, EmptyValuesAreUsageErrors) {
  ExpectRefused({"-p", "x", "-m", ""}, 2,
                "--model: the value is empty; leave it out for the bundled");
  ExpectRefused({"-p", ""}, 2, "--prompt: the value is empty; to begin without a prompt");
  ExpectRefused({"-f", ""}, 2, "--file: the value is empty");
  ExpectRefused({"-p", "x", "-g", ""}, 2, "--graph: the value is empty");
  ExpectRefused({"-p", "x", "--draft-model", ""}, 2, "--draft-model: the value is empty");
  ExpectRefused({"-p", "x", "--verify-against", ""}, 2, "--verify-against: the value is empty");
  ExpectRefused({"-p", "x", "--keep-newline"}, 2, "--keep-newline applies to stdin and -f");
  StdinText newline("\n");
  ExpectRefused({}, 3, "stdin: the prompt is empty");
}

TEST(InferRunRefusals, AProfileIsToldFromAProgram) {
  const TempDir dir;
  const std::string profile = dir.Path("p.pb");
  ASSERT_EQ(RunNamed("infer-run", {"-p", "x", "-n", "1", "--profile", profile}).code, 0);
  ExpectRefused({"-p", "x", "-g", profile}, 3, "is a profile, expected an infer program; pass it");
  EXPECT_THAT(RunNamed("infer-viz", {profile}).err,
              HasSubstr("(infer-profile, infer-viz --profile)"));
}

TEST(InferRunRefusals, ContradictionsAreUsageErrors) {
  ExpectRefused({"Once upon"}, 2, "unexpected argument 'Once upon'; a prompt is given with -p");
  ExpectRefused({"-p", "x", "-f", "y"}, 2, "one of -p, -f and --ids");
  ExpectRefused({"-p", "x", "--ids", "1"}, 2, "one of -p, -f and --ids");
  ExpectRefused({"--chat", "--ids", "1"}, 2, "--chat takes text");
  ExpectRefused({"--chat", "-p", "x", "--echo"}, 2, "--echo");
  ExpectRefused({"-p", "x", "--think", "on"}, 2, "applies to --chat");
  ExpectRefused({"-p", "x", "--system", "y"}, 2, "applies to --chat");
  ExpectRefused({"-p", "x", "--verify-weights"}, 2, "give one with -g");
  const std::pair<std::string, std::string> compile_flags[] = {
      {"--policy", "scalar"}, {"--place", "simd"},        {"--override-tensor", "ffn=cpu"},
      {"--gpu-layers", "1"},  {"--activations", "float"}, {"--kv-type", "f16"},
      {"--ubatch-size", "8"}};
  for (const auto& [flag, value] : compile_flags) {
    ExpectRefused({"-p", "x", "-g", "p.pb", flag, value}, 2, flag + " with a stored program");
  }
  ExpectRefused({"-p", "x", "--policy", "reference", "--kv-type", "f16"}, 2, "(--kv-type)");
  ExpectRefused({"-p", "x", "-c", "99999"}, 2, "trained for 2048 positions");
}

TEST(InferRunRefusals, InputsThatAreMissingOrWrong) {
  ExpectRefused({"-p", "x", "-m", "/nonexistent.gguf"}, 3, "/nonexistent.gguf");
  ExpectRefused({"-p", "x", "-m", INFER_SOURCE_DIR}, 3, INFER_SOURCE_DIR);
  ExpectRefused({"-p", "x", "-g", "/nonexistent.pb"}, 3, "/nonexistent.pb");
  ExpectRefused({"-p", "x", "-g", BundledModelPath()}, 3, "tiny-tales-q8_0.gguf");
  ExpectRefused({"-p", "x", "--policy", "nope"}, 3, "policy nope");
  ExpectRefused({"-f", "/nonexistent.txt", "-q"}, 3, "/nonexistent.txt");
  ExpectRefused({"--ids", "1,4096", "-q"}, 3, "id 4096, outside the vocabulary of 4096");
  ExpectRefused({"--ids", "-1", "-q"}, 3, "id -1");
}

}  // namespace
}  // namespace infer
