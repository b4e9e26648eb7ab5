// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "ir/base/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/ir/same_graph.h"
#include "tests/ir/sample_graphs.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

Program SampleTextProgram() {
  Program program;
  program.model = {{{"a-00001-of-00002.gguf", 5}, {"a-00002-of-00002.gguf", 1ull << 40}},
                   "00112233445566778899aabbccddeeff"};
  Weight plain;
  plain.name = "output_norm.weight";
  plain.type = {DType::kF32, {256}};
  plain.layouts = {"gguf"};
  Weight full;
  full.name = "token_embd.weight";
  full.type = {DType::kQ8_0, {4096, 256}};
  full.file = 1;
  full.offset = 1ull << 63;
  full.bytes = 1114112;
  full.sample_hash = 0xfedcba9876543210;
  full.full_hash = 0;
  full.spaces = {Device::kCpu, Device::kMetal};
  full.layouts = {"gguf", "q8_0_4x8"};
  program.weights = {plain, full};
  State second;
  second.id = 1;
  second.layer = 1;
  second.kv_heads = 2;
  second.head_dim = 64;
  second.dtype = DType::kF32;
  second.layout = "";
  second.home_space = Device::kMetal;
  program.states = {State{}, second};
  program.policy.name = "scalar";
  program.policy.rules.emplace_back().name = "everything";
  program.policy.rules.back().targets = {Target::kScalar};
  program.overrides = {"op=linear target=simd", "\"odd\"\n"};
  program.machine = {"cpu: 4 cores", Machine::Origin::kCalibrated};
  program.symbols[Symbol::kT] = {1, 512};
  program.symbols[Symbol::kS] = {1, 4096};
  program.passes = {{"bind", true, 10, 12}, {"legalize", false, 12, 12}};
  program.kernels = {{"linear_f32_simd", "linear", Target::kSimd},
                     {"few", "add", Target::kMetal, 2, 8}};
  program.kernel_choices = {{Symbol::kT, {0, 1}}, {7, {}, {0}}};
  program.regimes.push_back({1, 8, SampleTextGraph(Stage::kPlanned), {0, 1, 0}});
  program.regimes.push_back({9, 512, SampleTextGraph(Stage::kBound)});
  return program;
}

void ExpectSameProgram(const Program& a, const Program& b) {
  EXPECT_EQ(a.schema_version, b.schema_version);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.states, b.states);
  EXPECT_EQ(a.policy, b.policy);
  EXPECT_EQ(a.overrides, b.overrides);
  EXPECT_EQ(a.machine, b.machine);
  EXPECT_EQ(a.symbols, b.symbols);
  EXPECT_EQ(a.passes, b.passes);
  EXPECT_EQ(a.kernels, b.kernels);
  EXPECT_EQ(a.kernel_choices, b.kernel_choices);
  ASSERT_EQ(a.regimes.size(), b.regimes.size());
  for (size_t i = 0; i < a.regimes.size(); ++i) {
    EXPECT_EQ(a.regimes[i].min_tokens, b.regimes[i].min_tokens);
    EXPECT_EQ(a.regimes[i].max_tokens, b.regimes[i].max_tokens);
    EXPECT_EQ(a.regimes[i].kernel_choices, b.regimes[i].kernel_choices);
    ExpectSameGraph(a.regimes[i].graph, b.regimes[i].graph);
  }
}

TEST(ProgramText, ProgramSurvives) {
  Program program = SampleTextProgram();
  std::string text = PrintProgram(program);
  absl::StatusOr<Program> parsed = ParseProgram(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
  ExpectSameProgram(program, *parsed);
  EXPECT_EQ(PrintProgram(*parsed), text);
}

TEST(ProgramText, EmptyProgramSurvives) {
  Program program;
  absl::StatusOr<Program> parsed = ParseProgram(PrintProgram(program));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ExpectSameProgram(program, *parsed);
}

TEST(ProgramText, HashesAreHex) {
  std::string text = PrintProgram(SampleTextProgram());
  EXPECT_THAT(text, HasSubstr("sample_hash = 0xfedcba9876543210"));
  EXPECT_THAT(text, HasSubstr("full_hash = 0x0000000000000000"));
}

std::string ProgramError(std::string_view text) {
  absl::StatusOr<Program> program = ParseProgram(text);
  return program.ok() ? "" : std::string(program.status().message());
}

TEST(ProgramText, ErrorsSayWhereAndWhat) {
  EXPECT_THAT(ProgramError("graph @g"), HasSubstr("1:1: expected 'program', found 'graph'"));
  EXPECT_THAT(ProgramError("program {modle = {}}"),
              HasSubstr("1:10: unknown field 'modle' (did you"));
  EXPECT_THAT(ProgramError("program {schema_version = 2}"),
              HasSubstr("schema version 2, expected 1"));
  EXPECT_THAT(ProgramError("program {kernel_choices = [{rows = Q}]}"),
              HasSubstr("a dimension: a number"));
  EXPECT_THAT(ProgramError("program {weights = [{sample_hash = 12}]}"),
              HasSubstr("1:36: expected 0x"));
  EXPECT_THAT(ProgramError("program {weights = [{sample_hash = 0x11223344556677889}]}"),
              HasSubstr("1:36: expected 0x and up to 16 hex digits"));
  EXPECT_THAT(ProgramError("program {weights = [{type = kv<f32[1,2]>}]}"),
              HasSubstr("unknown type 'kv'"));
  EXPECT_THAT(ProgramError("program {machine = {origin = guess}}"),
              HasSubstr("unknown name 'guess'"));
  EXPECT_THAT(ProgramError("program {policy = \"}{\"}"), HasSubstr("1:19: "));
  EXPECT_THAT(ProgramError("program {} regime tokens(1..2)"),
              HasSubstr("expected 'graph', found the"));
  EXPECT_THAT(ProgramError("program {} regime (1..2)"), HasSubstr("1:19: expected 'tokens'"));
  EXPECT_THAT(ProgramError("program {} rejime"), HasSubstr("1:12: expected 'regime' or the end"));
  // Values of one regime's graph are unknown in the next.
  EXPECT_THAT(
      ProgramError("program {} regime tokens(1..2) graph @g stage(bound) (%x: batch) { return }"
                   "regime tokens(3..4) graph @g stage(bound) () { return %x }"),
      HasSubstr("value '%x' is not defined before its use"));
}

}  // namespace
}  // namespace infer
