// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/serving/runner_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "runtime/generation.h"
#include "tests/support/hang_limit.h"

namespace infer::test {
namespace {

const LoadedModel& RunnerModel() {
  static const auto* model = new LoadedModel("");
  return *model;
}

CompileModelOptions Options() {
  CompileModelOptions options = {.policy = "auto", .context = kRunnerContext, .chunk = 64};
  options.invariant = true;
  return options;
}

class NoText : public TextDecoder {
 public:
  void Append(int32_t, std::string*) override {}
  void Flush(std::string*) override {}
};

class RepeatedPattern : public TokenConstraint {
 public:
  void Force(int64_t most, std::vector<int32_t>* tokens) const override {
    for (int64_t at = count_; most > 0 && at % 10 >= 4 && at % 10 < 7; ++at, --most) {
      tokens->push_back(static_cast<int32_t>(500 + at % 10));
    }
  }
  bool Allows(int32_t token) const override { return token % 2 != count_ % 2; }
  void Refuse(std::span<float> logits) const override {
    for (size_t id = static_cast<size_t>(count_ % 2); id < logits.size(); id += 2) {
      logits[id] = -INFINITY;
    }
  }
  void Accept(int32_t) override { ++count_; }

 private:
  int64_t count_ = 0;
};

ChoiceEnd EndOf(StopReason reason) {
  switch (reason) {
    case StopReason::kEndToken:
      return ChoiceEnd::kEndToken;
    case StopReason::kMaxTokens:
      return ChoiceEnd::kMaxTokens;
    case StopReason::kContextFull:
      return ChoiceEnd::kContextFull;
    default:
      return ChoiceEnd::kError;
  }
}

}  // namespace

std::shared_ptr<const Executable> RunnerExecutable() {
  static auto* executable = new std::shared_ptr<const Executable>([] {
    CompileModelOptions options = Options();
    options.sequences = kRunnerSequences;
    options.logit_rows = kRunnerSequences + 2 * kMaxDraft;
    return Executable::CreateAlone(RunnerModel().Compile(options), RunnerModel().weights(),
                                   RunnerModel().registry())
        .value();
  }());
  return *executable;
}

std::shared_ptr<Engine> NewRunnerEngine(int64_t blocks, int32_t block_positions) {
  return Engine::Create(RunnerExecutable(), {.context = kRunnerContext,
                                             .sequences = kRunnerSequences,
                                             .block_positions = block_positions,
                                             .cache_positions = blocks * block_positions})
      .value();
}

std::unique_ptr<RequestRunner> NewRunner(const RunnerOptions& options, int64_t blocks) {
  return RequestRunner::Create(NewRunnerEngine(blocks), options).value();
}

void Recorder::OnAdmitted(const RequestSummary&) { ++admissions; }

bool Recorder::OnToken(const TokenOutput& token) {
  {
    const std::lock_guard lock(mutex_);
    ChoiceAnswer& choice = choices_[static_cast<size_t>(token.choice)];
    EXPECT_FALSE(choice.ended);
    choice.ids.push_back(token.id);
    choice.logprobs.push_back(token.logprob);
    ++tokens_;
  }
  changed_.notify_all();
  return on_token ? on_token(token) : true;
}

void Recorder::OnChoiceEnd(int32_t choice, ChoiceEnd end) {
  ChoiceAnswer& answer = choices_[static_cast<size_t>(choice)];
  EXPECT_FALSE(answer.ended);
  answer.ended = true;
  answer.end = end;
}

void Recorder::OnEnd(const RequestSummary& summary, const absl::Status& status) {
  // A listener that has thrown is told about the end alone.
  for (const ChoiceAnswer& choice : choices_) EXPECT_TRUE(choice.ended || absl::IsInternal(status));
  if (on_end) on_end();
  const std::lock_guard lock(mutex_);
  EXPECT_FALSE(ended_);
  summary_ = summary;
  status_ = status;
  ended_ = true;
  changed_.notify_all();
}

void Recorder::Wait() {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kHangLimit, [this] { return ended_; })) return;
  ADD_FAILURE() << "the request has not ended";
  std::abort();
}

bool Recorder::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

void Recorder::WaitForTokens(size_t tokens) {
  std::unique_lock lock(mutex_);
  if (changed_.wait_for(lock, kHangLimit, [&] { return ended_ || tokens_ >= tokens; })) return;
  ADD_FAILURE() << "no tokens";
  std::abort();
}

std::unique_ptr<TokenConstraint> NewPattern() { return std::make_unique<RepeatedPattern>(); }

std::vector<int32_t> RandomTokens(std::mt19937& random, size_t count) {
  std::vector<int32_t> tokens(count);
  for (int32_t& id : tokens) id = static_cast<int32_t>(300 + random() % 500);
  return tokens;
}

TokenRequest RandomRequest(std::mt19937& random) {
  TokenRequest request;
  if (random() % 2 == 0) {
    std::mt19937 common(random() % 4);
    request.prompt = RandomTokens(common, 10 + 20 * (random() % 4));
  }
  const std::vector<int32_t> own = RandomTokens(random, 1 + random() % 30);
  request.prompt.insert(request.prompt.end(), own.begin(), own.end());
  if (random() % 2 == 0) request.prompt.insert(request.prompt.end(), own.begin(), own.end());
  request.max_tokens = static_cast<int64_t>(random() % 5 == 0 ? 100 : random() % 24);
  request.choices = random() % 6 == 0 ? 3 : 1;
  request.sampler.temperature = random() % 2 == 0 ? 0 : 0.8;
  request.sampler.top_k = random() % 3 == 0 ? 0 : 20;
  request.sampler.seed = random();
  if (random() % 4 == 0) request.sampler.repeat_penalty = 1.2;
  if (random() % 4 == 0) request.sampler.frequency_penalty = 0.3;
  if (random() % 5 == 0) request.sampler.logit_bias = {{400, 3.0f}, {401, -3.0f}};
  if (random() % 4 == 0) request.end_ids = {static_cast<int32_t>(random() % 800), 350, 401, 512};
  if (random() % 4 == 0) request.new_constraint = NewPattern;
  if (random() % 6 == 0) request.top_logprobs = 3;
  if (random() % 3 == 0) request.tenant = "other";
  if (random() % 8 == 0) request.cache_salt = "salt";
  request.priority = random() % 8 == 0 ? 1 : 0;
  return request;
}

std::vector<ChoiceAnswer> AnswerAlone(const TokenRequest& request) {
  static auto* session = new std::unique_ptr<Session>(RunnerModel().NewSession(Options()));
  std::vector<ChoiceAnswer> answers;
  for (int32_t choice = 0; choice < request.choices; ++choice) {
    GenerationOptions options;
    options.max_tokens = request.max_tokens;
    options.sampler = request.sampler;
    options.sampler.seed += static_cast<uint64_t>(choice);
    options.end_ids = request.end_ids;
    std::unique_ptr<TokenConstraint> constraint;
    if (request.new_constraint) constraint = request.new_constraint();
    options.constraint = constraint.get();
    NoText decoder;
    (*session)->Clear();
    const absl::StatusOr<GenerationResult> result =
        Generate(**session, request.prompt, options, decoder, {});
    EXPECT_TRUE(result.ok()) << result.status();
    if (!result.ok()) return answers;
    answers.push_back({.ids = result->ids, .end = EndOf(result->reason), .ended = true});
  }
  return answers;
}

int CountFrom(const char* variable, int by_default) {
  const char* text = std::getenv(variable);
  return text == nullptr ? by_default : std::max(1, std::atoi(text));
}

}  // namespace infer::test
