// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/tools/e2e/tool_run.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class InferViz : public ::testing::Test {
 protected:
  std::string Store(const std::string& policy) {
    std::string path = dir_.Path(policy + ".pb");
    OutputOf("infer-compile", {"--policy", policy, "-o", path});
    return path;
  }
  static void ExpectError(std::vector<std::string> args, int code, const std::string& message) {
    CapturedRun run = RunNamed("infer-viz", std::move(args));
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_THAT(run.err, HasSubstr(message));
    EXPECT_EQ(run.out, "");
  }
  TempDir dir_;
};

TEST_F(InferViz, ShowsAProgramInEveryForm) {
  std::string program = Store("tutorial");
  EXPECT_THAT(RunNamed("infer-viz", {program}, {{"LANG", "en_US.UTF-8"}}).out,
              HasSubstr("layers 1..4  × 4"));
  const std::string ascii = RunNamed("infer-viz", {program}, {{"LANG", "C"}}).out;
  EXPECT_THAT(ascii, HasSubstr("layers 1..4  x 4\n|- attn"));
  EXPECT_TRUE(std::ranges::none_of(ascii, [](char c) { return (c & 0x80) != 0; }));
  const CapturedRun picture = RunNamed("infer-viz", {program, "-o", dir_.Path("x.png")});
  EXPECT_EQ(picture.code, 2);
  EXPECT_THAT(picture.err, HasSubstr(".png is none; use .html, .svg"));
  EXPECT_THAT(OutputOf("infer-viz", {program, "--format", "dot"}), StartsWith("digraph"));
  EXPECT_THAT(OutputOf("infer-viz", {program, "--format", "svg", "--layers", "3"}),
              HasSubstr("Layer 3 of tiny-tales-q8_0.gguf"));
  nlohmann::json json = nlohmann::json::parse(OutputOf("infer-viz", {program, "--format", "json"}));
  EXPECT_EQ(json["programs"][0]["name"], "tutorial.pb");
}

TEST_F(InferViz, TakesTheFormFromTheSuffix) {
  std::string program = Store("scalar");
  OutputOf("infer-viz", {program, "-o", dir_.Path("layer.svg")});
  EXPECT_THAT(ReadFile(dir_.Path("layer.svg")), StartsWith("<svg"));
  OutputOf("infer-viz", {program, "-o", dir_.Path("layer.svg"), "--format", "dot"});
  EXPECT_THAT(ReadFile(dir_.Path("layer.svg")), StartsWith("digraph"));
}

TEST_F(InferViz, TokensChooseTheRegime) {
  std::string program = Store("tutorial");
  EXPECT_THAT(OutputOf("infer-viz", {program, "--format", "svg", "--tokens", "5"}),
              HasSubstr("T 4..7, policy tutorial"));
  ExpectError({program, "--tokens", "513"}, 2, "1 to 512 tokens");
}

TEST_F(InferViz, RefusesWhatIsNotThere) {
  std::string program = Store("scalar");
  ExpectError({dir_.Path("none.pb")}, 3, "none.pb");
  ExpectError({program, "--layers", "6"}, 2, "no layer 6; it has 0..5");
  ExpectError({program, "--layers", "3-1"}, 2, "0-3");
  ExpectError({program, "--layers", "x"}, 2, "--layers x");
  ExpectError({program, "--format", "png"}, 2, "png");
  ExpectError({"diff", program}, 2, "compares two stored programs, got 1");
  ExpectError({"diff", program, program, "--format", "svg"}, 2, "text or json");
}

TEST_F(InferViz, DiffsAsInferCompileDoes) {
  std::string a = Store("scalar"), b = Store("simd");
  EXPECT_EQ(OutputOf("infer-viz", {"diff", a, b}), OutputOf("infer-compile", {"--diff", a, b}));
  CapturedRun same = RunNamed("infer-viz", {"diff", a, a, "--fail-on", "placement", "--fail-on",
                                            "graph", "--fail-on", "memory"});
  EXPECT_EQ(same.code, 0) << same.err;
  CapturedRun moved = RunNamed("infer-compile", {"--diff", a, b, "--fail-on", "graph"});
  EXPECT_EQ(moved.code, 6);
  EXPECT_THAT(moved.out, HasSubstr("graph: ")) << "the report comes first";
  EXPECT_THAT(moved.err, HasSubstr("--fail-on graph"));
  ExpectError({"diff", a, b, "--fail-on", "placment"}, 2, "did you mean placement?");
}

TEST_F(InferViz, ColoursOnlyOnRequestOrATerminal) {
  std::string program = Store("scalar");
  EXPECT_EQ(OutputOf("infer-viz", {program}).find('\x1b'), std::string::npos);
  EXPECT_NE(OutputOf("infer-viz", {program, "--color", "always"}).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace infer
