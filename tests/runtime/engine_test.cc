// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "runtime/session.h"
#include "tests/model/loaded_model.h"

namespace infer {
namespace {

using testing::ContinueGreedily;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using testing::LoadedModel;

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

int32_t Best(std::span<const float> logits) {
  return static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin());
}

// What a sequence wants: its prompt, then tokens chosen greedily.
struct Text {
  std::vector<int32_t> prompt;
  size_t length;                  // of the continuation
  std::vector<int32_t> ids = {};  // continued so far
  SequenceId sequence = -1;
  size_t run = 0;  // tokens of prompt and ids that have been run

  bool started() const { return sequence >= 0; }
  bool done() const { return ids.size() == length; }
  // The next tokens to run, at most `most`.
  std::vector<int32_t> Next(size_t most) const {
    std::vector<int32_t> all = prompt;
    all.insert(all.end(), ids.begin(), ids.end());
    const size_t end = std::min(all.size(), run + most);
    return {all.begin() + static_cast<int64_t>(run), all.begin() + static_cast<int64_t>(end)};
  }
};

// Runs the texts in steps that mix them at random: decodes beside chunks of other prompts.
void RunMixed(Engine& engine, std::vector<Text>& texts, uint32_t seed) {
  std::mt19937 random(seed);
  auto unfinished = [](const Text& text) { return !text.done(); };
  while (std::ranges::any_of(texts, unfinished)) {
    std::vector<Text*> taking_part;
    std::vector<std::vector<int32_t>> tokens;
    size_t room = static_cast<size_t>(engine.max_step_tokens());
    for (Text& text : texts) {
      if (text.done() || room == 0 || random() % 3 == 0) continue;
      if (!text.started()) text.sequence = engine.NewSequence().value();
      tokens.push_back(text.Next(1 + random() % room));
      room -= tokens.back().size();
      taking_part.push_back(&text);
    }
    if (taking_part.empty()) continue;
    std::shuffle(taking_part.begin(), taking_part.end(), random);
    tokens.clear();
    std::vector<StepRequest> requests;
    room = static_cast<size_t>(engine.max_step_tokens());
    for (Text* text : taking_part) {
      const size_t others = taking_part.size() - tokens.size() - 1;
      tokens.push_back(text->Next(1 + random() % (room - others)));
      room -= tokens.back().size();
    }
    for (size_t i = 0; i < tokens.size(); ++i) {
      requests.push_back({taking_part[i]->sequence, tokens[i], 1});
    }
    ASSERT_EQ(engine.Step(requests), absl::OkStatus());
    for (size_t i = 0; i < requests.size(); ++i) {
      Text& text = *taking_part[i];
      text.run += tokens[i].size();
      if (text.run < text.prompt.size() + text.ids.size()) continue;
      text.ids.push_back(Best(engine.logits(i)));
      if (text.done()) engine.Release(text.sequence);
    }
  }
}

std::vector<int32_t> Alone(const std::string& policy, const Text& text) {
  std::shared_ptr<Engine> engine = NewEngine(policy, 0);
  std::unique_ptr<Session> session = Session::Create(engine).value();
  return ContinueGreedily(*session, text.prompt, static_cast<int>(text.length));
}

std::vector<Text> Texts(uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Text> texts;
  for (int i = 0; i < kSequences; ++i) {
    texts.push_back({Prompt(static_cast<int>(random() % 100), 1 + static_cast<int>(random() % 20)),
                     1 + random() % 10});
  }
  return texts;
}

struct EngineCase {
  std::string policy;
  int32_t block_positions;
};

class EngineTest : public ::testing::TestWithParam<EngineCase> {};

TEST_P(EngineTest, SequencesInOneStepGetWhatEachGetsAlone) {
  for (uint32_t seed = 1; seed <= 6; ++seed) {
    std::vector<Text> texts = Texts(seed);
    std::unique_ptr<Engine> engine = NewEngine(GetParam().policy, GetParam().block_positions);
    RunMixed(*engine, texts, seed);
    for (const Text& text : texts) {
      EXPECT_THAT(text.ids, ElementsAreArray(Alone(GetParam().policy, text))) << "seed " << seed;
    }
  }
}

TEST_P(EngineTest, ACloneGoesOnAsTheOriginalDoes) {
  std::unique_ptr<Engine> engine = NewEngine(GetParam().policy, GetParam().block_positions);
  const std::vector<int32_t> prompt = Prompt(3, 7);
  const SequenceId first = engine->NewSequence().value();
  const StepRequest request{first, prompt, 1};
  ASSERT_EQ(engine->Step({&request, 1}), absl::OkStatus());
  std::vector<int32_t> next = {Best(engine->logits())};
  absl::StatusOr<SequenceId> second = engine->Clone(first);
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_THAT(engine->tokens(*second), ElementsAreArray(prompt));
  for (int i = 0; i < 6; ++i) {
    const std::vector<int32_t> token = {next.back()};
    const StepRequest both[] = {{*second, token, 1}, {first, token, 1}};
    ASSERT_EQ(engine->Step(both), absl::OkStatus());
    EXPECT_EQ(Best(engine->logits(0)), Best(engine->logits(1)));
    next.push_back(Best(engine->logits(0)));
  }
  Text text{prompt, next.size()};
  EXPECT_THAT(next, ElementsAreArray(Alone(GetParam().policy, text)));
}

INSTANTIATE_TEST_SUITE_P(Caches, EngineTest,
                         ::testing::Values(EngineCase{"reference", 0}, EngineCase{"reference", 4},
                                           EngineCase{"scalar", 0}, EngineCase{"scalar", 4}),
                         [](const auto& info) {
                           return StrCat(info.param.policy, info.param.block_positions == 0
                                                                ? "_contiguous"
                                                                : "_paged");
                         });

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
