// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> Toy(std::vector<std::string> more) {
  more.insert(more.begin(), {"--layers", "2", "--hidden", "64", "--heads", "4", "--kv-heads", "2",
                             "--head-dim", "16", "--ff", "96", "--vocab", "small"});
  return more;
}

TEST(InferSynth, WritesAModelThatRuns) {
  TempDir dir;
  for (const char* type : {"f32", "f16", "bf16", "q8_0"}) {
    std::string model = dir.Path(type);
    OutputOf("infer-synth", Toy({"-o", model, "--type", type, "-s", "3"}));
    std::string ids = OutputOf("infer-run", {"-m", model, "-p", "hello", "-n", "8", "--temp", "0",
                                             "--ignore-eos", "--emit", "ids"});
    EXPECT_EQ(std::count(ids.begin(), ids.end(), ','), 7) << type;
    EXPECT_THAT(OutputOf("gguf-inspect", {"verify", model}), HasSubstr(": ok")) << type;
  }
}

TEST(InferSynth, TheSeedDecidesTheBytes) {
  TempDir dir;
  OutputOf("infer-synth", Toy({"-o", dir.Path("a"), "-s", "1"}));
  OutputOf("infer-synth", Toy({"-o", dir.Path("b"), "-s", "1"}));
  OutputOf("infer-synth", Toy({"-o", dir.Path("c"), "-s", "2"}));
  EXPECT_EQ(ReadFile(dir.Path("a")), ReadFile(dir.Path("b")));
  EXPECT_NE(ReadFile(dir.Path("a")), ReadFile(dir.Path("c")));
}

TEST(InferSynth, RefusesShapesThatNoModelCanHave) {
  TempDir dir;
  auto expect = [&](std::vector<std::string> args, int code, const std::string& message) {
    CapturedRun run = RunNamed("infer-synth", args);
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
  };
  expect({}, 2, "--output");
  expect(Toy({"-o", dir.Path("x"), "--hidden", "100"}), 2, "100 columns are not a multiple of 32");
  expect(Toy({"-o", dir.Path("x"), "--heads", "3"}), 2, "multiple of --kv-heads");
  expect(Toy({"-o", dir.Path("x"), "--layers", "0"}), 2, "--layers");
  expect(Toy({"-o", dir.Path("x"), "--tied", "--untied"}), 2, "contradict each other");
  expect(Toy({"-o", dir.Path("x"), "--type", "q9"}), 2, "q9");
  expect({"-o", dir.Path("x"), "--shape", "9b"}, 2, "9b");
  expect(Toy({"-o", "-"}), 2, "stdout");
  expect(Toy({"-o", dir.Path("no/x")}), 1, "no/x");
  EXPECT_THAT(dir.Names(), ElementsAre());
}

}  // namespace
}  // namespace infer
