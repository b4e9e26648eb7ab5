// SPDX-License-Identifier: Apache-2.0
#include "tools/run/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/base/strings.h"
#include "tests/runtime/vector_weights.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

const WeightSource& NoWeights() {
  static const test::VectorWeights none;
  return none;
}

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Counts what it is told to.
class WaitingBackend : public Backend {
 public:
  Device device() const override { return Device::kCpu; }
  std::span<const KernelInfo> kernels() const override { return {}; }
  std::vector<uint64_t> WaitNs() const override { return wait_ns; }
  absl::StatusOr<BoundKernel> Bind(const Node&, std::string_view) const override {
    return absl::UnimplementedError("has no kernels");
  }
  absl::StatusOr<std::unique_ptr<CompiledSegment>> Prepare(std::vector<PreparedStep>,
                                                           uint64_t) const override {
    return absl::UnimplementedError("runs nothing");
  }

  std::vector<uint64_t> wait_ns;
};

TEST(ProgramLine, CountsTheNodesOfEachRegime) {
  Program program = test::SampleProgramOnTwoDevices(/*shares_memory=*/true);
  program.overrides.clear();
  const std::vector<Node*> nodes = program.regimes[0].graph.nodes();
  for (Node* node : nodes) {  // so that the regimes differ
    if (node->placement() && node->placement()->target == Target::kMetal) {
      Placement placement = *node->placement();
      placement.target = Target::kSimd;
      node->set_placement(placement);
    }
  }
  const int64_t all =
      std::ranges::count_if(nodes, [](Node* n) { return n->placement() != nullptr; });
  EXPECT_EQ(ProgramLine(program), StrCat("program  policy scalar; T 1..4: scalar ", all - 1,
                                         ", simd 1; T 5..16: metal 1, scalar ", all - 1));
}

TEST(ProgramLine, NamesWhatWasGivenBesideThePolicy) {
  Program program = test::SampleProgram();
  program.policy.activations = Policy::Activations::kFloat;
  program.overrides = {"place op=linear=simd"};
  EXPECT_THAT(ProgramLine(program),
              StartsWith("program  policy scalar with activations in f32, with "
                         "place op=linear=simd; T 1..4: "));
  program.overrides = {"place a=simd", "gpu-layers 2", "place b=simd", "place c=simd",
                       "place d=simd"};
  EXPECT_THAT(ProgramLine(program),
              HasSubstr(", with place a=simd, gpu-layers 2, place b=simd and 2 more; T 1..4: "));
}

TEST(ProgramLine, StaysOneLineOfManyRegimes) {
  Program program = test::SampleProgram();
  while (program.regimes.size() < 6) program.regimes.push_back({17, 18, Graph("empty")});
  EXPECT_THAT(ProgramLine(program), EndsWith("; and 2 more"));
}

TEST(SpeedLine, SaysWhatTheCacheSpared) {
  AnswerSpeed speed{.prompt_tokens = 35,
                    .new_tokens = 24,
                    .prefill_ms = 100,
                    .decode_tokens = 23,
                    .decode_ms = 500,
                    .reason = StopReason::kEndToken};
  EXPECT_EQ(SpeedLine(speed), "24 tokens at 46.0 tokens/s; prompt of 35 tokens at 350.0 tokens/s");
  speed.cached_tokens = 34;
  speed.reason = StopReason::kMaxTokens;
  EXPECT_EQ(SpeedLine(speed),
            "24 tokens at 46.0 tokens/s; prompt of 35 tokens, 34 from the cache, at 10.0 tokens/s; "
            "stopped at -n");
  EXPECT_EQ(SpeedLine({.prompt_tokens = 1, .reason = StopReason::kCancelled}),
            "0 tokens; prompt of 1 token; interrupted");
}

TEST(StatsText, SaysInJsonWhichThreadsRanAndWhatTheyWaited) {
  ThreadChoice threads;
  threads.team.threads = 2;
  threads.derivation = "2 = min(affinity 2)";
  WaitingBackend backend;
  backend.wait_ns = {1'000'000, 2'000'000};  // before the run
  ThreadWaits waits(&backend);
  backend.wait_ns = {3'000'000, 2'000'000};
  waits.EndPrefill();
  backend.wait_ns = {3'000'000, 2'500'000};
  waits.End();
  backend.wait_ns = {4'000'000, 2'500'000};
  waits.EndPrefill();  // of a second prompt
  waits.End();
  Metrics metrics;
  metrics.prefill_ms = 12;
  metrics.decode_ms = 50;
  const std::string text =
      StatsText(metrics, PackedWeights(NoWeights()), threads, waits, StatsForm::kJson);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["threads"], 2);
  EXPECT_EQ(json["threads_from"], "2 = min(affinity 2)");
  EXPECT_EQ(json["threads_by"], "team");
  EXPECT_EQ(json["prefill_wait_ms"], nlohmann::json({3.0, 0.0}));
  EXPECT_EQ(json["prefill_wait_share"], nlohmann::json({0.25, 0.0}));
  EXPECT_EQ(json["decode_wait_ms"], nlohmann::json({0.0, 0.5}));
  EXPECT_EQ(json["decode_wait_share"], nlohmann::json({0.0, 0.01}));
}

TEST(ThreadWaits, OfAnInterruptedPromptAreOfThePrompt) {
  WaitingBackend backend;
  backend.wait_ns = {0, 0};
  ThreadWaits waits(&backend);
  backend.wait_ns = {1, 2};
  waits.End();  // interrupted: no end of the prompt before
  EXPECT_THAT(waits.prefill_ns(), ::testing::ElementsAre(1, 2));
  EXPECT_THAT(waits.decode_ns(), ::testing::IsEmpty());
  backend.wait_ns = {11, 22};
  waits.EndPrefill();
  backend.wait_ns = {111, 222};
  waits.End();
  EXPECT_THAT(waits.prefill_ns(), ::testing::ElementsAre(11, 22));
  EXPECT_THAT(waits.decode_ns(), ::testing::ElementsAre(100, 200));
}

TEST(StatsText, HasNoWaitsWhereNobodyCounts) {
  WaitingBackend backend;
  ThreadWaits waits(&backend);
  waits.EndPrefill();
  waits.End();
  const auto json = nlohmann::json::parse(
      StatsText(Metrics(), PackedWeights(NoWeights()), ThreadChoice(), waits, StatsForm::kJson));
  EXPECT_EQ(json["decode_wait_ms"], nlohmann::json::array());
  EXPECT_EQ(json["decode_wait_share"], nlohmann::json::array());
}

TEST(StatsText, IsEmptyIfNotWanted) {
  WaitingBackend backend;
  EXPECT_EQ(StatsText(Metrics(), PackedWeights(NoWeights()), ThreadChoice(), ThreadWaits(&backend),
                      StatsForm::kNone),
            "");
}

}  // namespace
}  // namespace infer
