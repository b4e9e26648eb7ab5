// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/backends.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using test::LoadedModel;
using ::testing::HasSubstr;

constexpr int32_t kSequences = 3;
constexpr int64_t kContext = 48;
constexpr int64_t kChunk = 8;

const LoadedModel& Model() {
  static const auto* model = new LoadedModel("random_untied.gguf");
  return *model;
}

std::vector<int32_t> Prompt(int number, int tokens) {
  std::vector<int32_t> prompt;
  for (int i = 0; i < tokens; ++i) prompt.push_back((7 * number + 13 * i + i * i) % 250);
  return prompt;
}

std::shared_ptr<const Executable> ExecutableFor(const std::string& policy) {
  static auto* made = new std::map<std::string, std::shared_ptr<const Executable>>();
  std::shared_ptr<const Executable>& executable = (*made)[policy];
  if (executable == nullptr) {
    Program program = Model().Compile(
        {.policy = policy, .context = kContext, .chunk = kChunk, .sequences = kSequences});
    executable =
        Executable::CreateAlone(std::move(program), Model().weights(), Model().registry()).value();
  }
  return executable;
}

std::unique_ptr<Engine> NewEngine(const std::string& policy, int32_t block_positions) {
  return Engine::Create(
             ExecutableFor(policy),
             {.context = kContext, .sequences = kSequences, .block_positions = block_positions})
      .value();
}

TEST(Engine, AStepThatFailsChangesNoSequence) {
  std::unique_ptr<Engine> engine = NewEngine("scalar", 0);
  const SequenceId first = engine->NewSequence().value();
  const SequenceId second = engine->NewSequence().value();
  const std::vector<int32_t> good = {1, 2}, bad = {3, 1 << 20};
  const StepRequest requests[] = {{first, good, 1}, {second, bad, 1}};
  EXPECT_EQ(engine->Step(requests).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(engine->tokens(first).size(), 0u);
  EXPECT_EQ(engine->tokens(second).size(), 0u);
  EXPECT_EQ(engine->cache().length(first), 0);
}

TEST(Engine, RefusesMoreTokensThanAStepHolds) {
  std::unique_ptr<Engine> engine = NewEngine("scalar", 0);
  const SequenceId sequence = engine->NewSequence().value();
  const std::vector<int32_t> tokens(kChunk + 1, 5);
  const StepRequest request{sequence, tokens, 1};
  const absl::Status status = engine->Step({&request, 1});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("9 tokens"));
}

TEST(Engine, AStepWithoutLogitsComputesThoseOfItsLastToken) {
  std::unique_ptr<Engine> engine = NewEngine("scalar", 0);
  const SequenceId sequence = engine->NewSequence().value();
  const std::vector<int32_t> tokens = Prompt(1, 5);
  const StepRequest request{sequence, tokens, 0};
  EXPECT_EQ(engine->Step({&request, 1}), absl::OkStatus());
  EXPECT_EQ(engine->tokens(sequence).size(), 5u);
}

TEST(Engine, RowsThatTheThreadsShareGetTheTokensOfOneThread) {
  const LoadedModel model("random_untied.gguf",
                          MakeKernelRegistry(ThreadTeamOptions{.threads = 3}).value());
  Program program = model.Compile(
      {.policy = "scalar", .context = kContext, .chunk = kChunk, .sequences = kSequences});
  const auto engine =
      Engine::Create(
          Executable::CreateAlone(std::move(program), model.weights(), model.registry()).value(),
          {.context = kContext, .sequences = kSequences})
          .value();
  std::vector<std::vector<int32_t>> prompts;
  std::vector<StepRequest> requests;
  for (int i = 0; i < kSequences; ++i) prompts.push_back(Prompt(i, 2));
  for (const auto& prompt : prompts) requests.push_back({engine->NewSequence().value(), prompt, 1});
  ASSERT_EQ(engine->Step(requests), absl::OkStatus());
  std::vector<Sampler> samplers, alone;
  for (uint64_t seed = 0; seed < kSequences; ++seed) {
    for (std::vector<Sampler>* list : {&samplers, &alone}) {
      list->push_back(Sampler::Create({.top_k = 0, .top_p = 0.9, .seed = seed},
                                      static_cast<int32_t>(engine->vocabulary()))
                          .value());
    }
  }
  std::vector<RowToSample> rows;
  for (size_t i = 0; i < samplers.size(); ++i) rows.push_back({&samplers[i], engine->logits(i)});
  std::vector<absl::StatusOr<SampledToken>> tokens(rows.size());
  engine->Sample(rows, tokens);
  for (size_t i = 0; i < rows.size(); ++i) {
    ASSERT_TRUE(tokens[i].ok()) << tokens[i].status();
    EXPECT_EQ(tokens[i]->id, alone[i].Sample(engine->logits(i))->id);
  }
}

TEST(Engine, SequencesAreCounted) {
  std::unique_ptr<Engine> engine = NewEngine("scalar", 4);
  std::vector<SequenceId> alive;
  for (int i = 0; i < kSequences; ++i) alive.push_back(engine->NewSequence().value());
  EXPECT_EQ(engine->NewSequence().status().code(), absl::StatusCode::kResourceExhausted);
  engine->Release(alive[1]);
  EXPECT_TRUE(engine->NewSequence().ok());
}

TEST(Engine, ALongerContextThanCompiledForIsRefused) {
  const absl::Status status =
      Engine::Create(ExecutableFor("reference"), {.context = kContext, .sequences = kSequences + 1})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("compile it again"));
}

}  // namespace
}  // namespace infer
