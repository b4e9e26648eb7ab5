// SPDX-License-Identifier: Apache-2.0
#include "tools/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"
#include "tests/model/loaded_model.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class Diff : public ::testing::Test {
 protected:
  Program Compile(const std::string& policy, std::vector<std::string> place = {}) {
    CompileModelOptions options;
    options.policy = policy;
    options.place = std::move(place);
    options.hash = HashMode::kNone;
    options.chunk = 16;  // no level has kernels that begin at fewer than 17 rows
    return model_.Compile(options);
  }
  ProgramDiff Compare(const Program& a, const Program& b) {
    absl::StatusOr<ProgramDiff> diff = DiffPrograms("a.pb", a, "b.pb", b, model_.registry());
    EXPECT_TRUE(diff.ok()) << diff.status();
    return std::move(*diff);
  }
  test::LoadedModel model_{""};
};

TEST_F(Diff, AProgramDoesNotDifferFromItself) {
  Program program = Compile("tutorial");
  ProgramDiff diff = Compare(program, program);
  EXPECT_TRUE(diff.rows.empty());
  EXPECT_FALSE(diff.graph_differs() || diff.placement_differs() || diff.memory_differs());
  EXPECT_THAT(ToText(diff), HasSubstr("no node is added, removed or moved"));
}

TEST_F(Diff, TellsWhatMovedWithBothReasons) {
  Program a = Compile("parallel");
  Program b = Compile("parallel", {"name=layer.*/ffn/norm,layer>=2=simd"});
  ProgramDiff diff = Compare(a, b);
  EXPECT_EQ(diff.Count(NodeChange::kMoved), 4);
  EXPECT_TRUE(diff.placement_differs());
  EXPECT_FALSE(diff.graph_differs());
  ASSERT_EQ(diff.rows.size(), 1u);
  EXPECT_EQ(diff.rows[0].group.layers, (std::vector<int64_t>{2, 3, 4, 5}));
  std::string text = ToText(diff);
  EXPECT_THAT(text, HasSubstr("attn/residual+ffn/norm add_rms_norm (layers 2..5)"));
  EXPECT_THAT(text, HasSubstr("parallel -> simd"));
  EXPECT_THAT(text, HasSubstr("a  rule everything of policy parallel"));
  EXPECT_THAT(text, HasSubstr("given on the command line"));
}

TEST_F(Diff, ComparesWhatEachIntervalOfTokensGets) {
  Program a = Compile("parallel"), b = Compile("tutorial");
  ProgramDiff diff = Compare(a, b);
  ASSERT_EQ(diff.intervals.size(), 3u);
  EXPECT_EQ(diff.intervals[1].tokens, (Range{4, 7}));
  EXPECT_EQ(diff.intervals[1].a, 0);
  EXPECT_EQ(diff.intervals[1].b, 1);
  EXPECT_TRUE(diff.graph_differs());
  EXPECT_THAT(
      ToText(diff),
      HasSubstr("  attn/q_proj+k_proj+v_proj (layers 0..5)\n    multi_linear -> linear x3"));
}

// Against an estimate of the call that is made here, and against the regimes' own where they end
// with the interval.
TEST_F(Diff, EstimatesBothEndsOfEveryInterval) {
  Program a = Compile("parallel"), b = Compile("tutorial");
  ProgramDiff diff = Compare(a, b);
  ASSERT_EQ(diff.intervals.size(), 3u);
  EXPECT_EQ(diff.intervals[0].least.a_ns, diff.a.regimes[0].totals.estimate_ns_min);
  EXPECT_EQ(diff.intervals[2].most.a_ns, diff.a.regimes[0].totals.estimate_ns_max);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(diff.intervals[i].least.b_ns, diff.b.regimes[i].totals.estimate_ns_min);
    EXPECT_EQ(diff.intervals[i].most.b_ns, diff.b.regimes[i].totals.estimate_ns_max);
  }
  const DiffInterval& middle = diff.intervals[1];
  absl::StatusOr<MachineDescription> machine = ParseMachine(a.machine.text, "machine");
  ASSERT_TRUE(machine.ok()) << machine.status();
  const int64_t context = a.symbols[Symbol::kS].max;
  auto call = [&](const SymbolValues& at) {
    return EstimateCall(a.regimes[0].graph, *machine, at).ns();
  };
  EXPECT_NEAR(middle.least.a_ns, call({4, 1, 4}), 1);
  EXPECT_NEAR(middle.most.a_ns, call({7, middle.most.at.r, context}), 1);
  EXPECT_LT(diff.intervals[0].most.a_ns, middle.most.a_ns);
  EXPECT_LT(middle.most.a_ns, diff.intervals[2].most.a_ns);
  std::string text = ToText(diff);
  for (const char* row : {"  T 1, S 1 ", "  T 4, S 4 ", "  T 8, S 8 "}) {
    const size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << row << text;
    EXPECT_THAT(text.substr(at, text.find('\n', at) - at), ContainsRegex(" [+-][0-9.]+ [mun]?s$"));
  }
}

TEST_F(Diff, EstimatesCallsThatBothSidesTake) {
  CompileModelOptions options;
  options.policy = "simd";
  options.hash = HashMode::kNone;
  options.context = 256;
  Program a = model_.Compile(options);
  options.context = 64;
  Program b = model_.Compile(options);
  ProgramDiff diff = Compare(a, b);
  const CallAt& most = diff.intervals.back().most;
  EXPECT_EQ(most.at.s, 64);
  EXPECT_EQ(most.a_ns, most.b_ns) << "the same kernels on the same call";
  EXPECT_THAT(ToText(diff), ContainsRegex("T 64, S 64 .* =\n"));
}

TEST_F(Diff, HasNoEstimatesWithoutAMachine) {
  Program a = Compile("simd"), b = Compile("scalar");
  b.machine = {};
  ProgramDiff diff = Compare(a, b);
  EXPECT_THAT(ToText(diff), ContainsRegex("  T 1, S 1 .* -  +-\n"));
  nlohmann::json interval = nlohmann::json::parse(ToJson(diff))["intervals"][0];
  EXPECT_TRUE(interval["a"]["estimate_ns"].is_array());
  EXPECT_TRUE(interval["b"]["estimate_ns"].is_null());
  EXPECT_TRUE(interval["difference"]["estimate_ns"].is_null());
}

TEST_F(Diff, SaysWhatFlagsPlacedAndTheMachine) {
  Program a = Compile("parallel"), b = Compile("parallel", {"op=linear,rows<8=simd"});
  std::string text = ToText(Compare(a, b));
  EXPECT_THAT(text, HasSubstr("a  a.pb  policy parallel  regimes 1..16\n   machine  generic, "));
  EXPECT_THAT(text, HasSubstr("\n   placed   place op=linear,rows<8=simd\n   machine  generic, "));
  nlohmann::json json = nlohmann::json::parse(ToJson(Compare(a, b)));
  EXPECT_THAT(json["b"]["machine_text"].get<std::string>(), HasSubstr("generic"));
  EXPECT_EQ(json["b"]["overrides"][0], "place op=linear,rows<8=simd");
}

TEST_F(Diff, ANodeMovesInOneIntervalAndIsTakenApartInAnother) {
  Program a = Compile("simd");
  Program b = Compile("simd", {"op=rms_norm,tokens>=8=scalar", "op=rms_norm,tokens<8=parallel"});
  ProgramDiff diff = Compare(a, b);
  EXPECT_TRUE(diff.graph_differs());
  EXPECT_TRUE(diff.placement_differs());
  EXPECT_THAT(ToText(diff), HasSubstr("simd -> parallel"));
}

TEST_F(Diff, NamesTokensThatOneSideServes) {
  CompileModelOptions options;
  options.policy = "simd";
  options.hash = HashMode::kNone;
  Program a = model_.Compile(options);
  options.chunk = 64;
  Program b = model_.Compile(options);
  EXPECT_THAT(ToText(Compare(a, b)), HasSubstr("only a serves T 65.."));
}

TEST_F(Diff, CountsMemory) {
  CompileModelOptions options;
  options.policy = "simd";
  options.hash = HashMode::kNone;
  Program a = model_.Compile(options);
  options.kv_type = DType::kF32;
  Program b = model_.Compile(options);
  ProgramDiff diff = Compare(a, b);
  EXPECT_TRUE(diff.memory_differs());
  for (const MemoryChange& part : diff.memory) {
    if (part.what == "kv at full context") {
      EXPECT_EQ(part.b_bytes, 2 * part.a_bytes);
    }
    if (part.what == "arena") {
      EXPECT_GT(part.a_bytes, 0u);
    }
  }
}

TEST_F(Diff, RefusesProgramsOfDifferentModels) {
  test::LoadedModel other("tiny-tales-f16.gguf");
  CompileModelOptions options;
  options.hash = HashMode::kNone;
  Program a = Compile("simd"), b = other.Compile(options);
  absl::Status status = DiffPrograms("a.pb", a, "b.pb", b, model_.registry()).status();
  EXPECT_EQ(ExitCodeFor(status), kExitBadInput);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("a.pb is a program of tiny-tales-q8_0.gguf and b.pb of tiny-tales-f16.gguf"));
}

TEST_F(Diff, JsonHasTheSame) {
  Program a = Compile("parallel"), b = Compile("tutorial");
  ProgramDiff diff = Compare(a, b);
  nlohmann::json json = nlohmann::json::parse(ToJson(diff));
  EXPECT_EQ(json["nodes"]["moved"], diff.Count(NodeChange::kMoved));
  EXPECT_EQ(json["differs"]["graph"], true);
  EXPECT_EQ(json["a"]["regimes"].size(), 1u);
  EXPECT_EQ(json["b"]["regimes"].size(), 3u);
  ASSERT_EQ(json["intervals"].size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    const nlohmann::json& interval = json["intervals"][i];
    EXPECT_EQ(interval["tokens"][0], diff.intervals[i].tokens.min);
    EXPECT_EQ(interval["calls"][1]["T"], diff.intervals[i].tokens.max);
    EXPECT_EQ(interval["a"]["regime"], 0);
    EXPECT_EQ(interval["b"]["regime"], i);
    for (int end : {0, 1}) {
      EXPECT_EQ(interval["difference"]["estimate_ns"][end].get<double>(),
                interval["b"]["estimate_ns"][end].get<double>() -
                    interval["a"]["estimate_ns"][end].get<double>());
    }
    EXPECT_EQ(
        interval["difference"]["arena_bytes"].get<int64_t>(),
        interval["b"]["arena_bytes"].get<int64_t>() - interval["a"]["arena_bytes"].get<int64_t>());
  }
  for (const nlohmann::json& part : json["memory"]) {
    EXPECT_EQ(part["difference_bytes"].get<int64_t>(),
              part["b_bytes"].get<int64_t>() - part["a_bytes"].get<int64_t>());
  }
  ASSERT_EQ(json["changes"].size(), diff.rows.size());
  for (const nlohmann::json& row : json["changes"]) EXPECT_FALSE(row["intervals"].empty());
}

}  // namespace
}  // namespace infer
