// SPDX-License-Identifier: Apache-2.0
//
// CandidateRequests on a device with its own memory, with programs that give the largest logits and
// with programs that give whole rows alone: the answers are the same.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/runtime/serving/runner_fixture.h"
#include "tests/support/test_device.h"

namespace infer::test {
namespace {

constexpr int64_t kCandidateContext = 48;
constexpr int32_t kCandidateSequences = 6;

std::shared_ptr<Engine> NewEngine(const LoadedModel& model, int64_t candidates) {
  const CompileModelOptions options = {.policy = "reference",
                                       .place = {"test"},
                                       .context = kCandidateContext,
                                       .chunk = 32,
                                       .sequences = kCandidateSequences,
                                       .candidates = candidates};
  auto executable =
      Executable::CreateAlone(model.Compile(options), model.weights(), model.registry());
  EXPECT_TRUE(executable.ok()) << executable.status();
  return Engine::Create(*executable, {.context = kCandidateContext,
                                      .sequences = kCandidateSequences,
                                      .block_positions = 16})
      .value();
}

std::vector<TokenRequest> CandidateRequests() {
  std::vector<TokenRequest> requests(6);
  for (size_t i = 0; i < requests.size(); ++i) {
    const int32_t first = static_cast<int32_t>(20 + 30 * i);
    requests[i].prompt = {first, 9, 300, first + 7};
    requests[i].max_tokens = 6;
    requests[i].sampler.seed = i;
    requests[i].sampler.temperature = 1.5;
  }
  requests[0].sampler.temperature = 0;
  requests[2].sampler.presence_penalty = 0.8;
  requests[3].top_logprobs = 2;
  requests[4].new_constraint = NewPattern;
  requests[5].sampler.top_k = 0;
  requests[1].choices = 2;
  return requests;
}

std::vector<std::vector<ChoiceAnswer>> Answers(std::shared_ptr<Engine> engine,
                                               const std::vector<TokenRequest>& requests) {
  auto runner =
      RequestRunner::Create(std::move(engine), {.max_running = kCandidateSequences}).value();
  std::vector<std::shared_ptr<Recorder>> recorders;
  for (const TokenRequest& request : requests) {
    recorders.push_back(std::make_shared<Recorder>(request.choices));
    EXPECT_TRUE(runner->Submit(request, recorders.back()).ok());
  }
  std::vector<std::vector<ChoiceAnswer>> answers;
  for (const std::shared_ptr<Recorder>& recorder : recorders) {
    recorder->Wait();
    EXPECT_TRUE(recorder->status().ok()) << recorder->status();
    answers.push_back(recorder->choices());
  }
  return answers;
}

TEST(RunnerCandidates, AnswersAreThoseOfWholeRows) {
  const LoadedModel model("", RegistryWithTestDevice());
  std::shared_ptr<Engine> engine = NewEngine(model, kSamplerCandidates);
  ASSERT_EQ(engine->most_top_logits(), kSamplerCandidates);
  const std::vector<TokenRequest> all = CandidateRequests();
  const auto expected = Answers(NewEngine(model, 0), all);
  EXPECT_EQ(Answers(std::move(engine), all), expected);
  // Two that need no whole rows, so that none are copied.
  const std::vector<TokenRequest> some = {all[0], all[1]};
  const auto found = Answers(NewEngine(model, kSamplerCandidates), some);
  EXPECT_EQ(found[0], expected[0]);
  EXPECT_EQ(found[1], expected[1]);
}

}  // namespace
}  // namespace infer::test
