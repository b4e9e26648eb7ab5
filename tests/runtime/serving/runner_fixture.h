// SPDX-License-Identifier: Apache-2.0
//
// A runner of the bundled model, and the answers that an idle engine gives.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "runtime/draft_length.h"
#include "runtime/serving/request_runner.h"
#include "runtime/session.h"
#include "tests/model/loaded_model.h"

namespace infer::test {

inline constexpr int64_t kRunnerContext = 160;
inline constexpr int32_t kRunnerSequences = 8;
inline constexpr int32_t kRunnerBlock = 16;

// Compiled once: invariant, with rows for drafts of two sequences.
std::shared_ptr<const Executable> RunnerExecutable();
// `blocks` 0: enough for all sequences.
std::shared_ptr<Engine> NewRunnerEngine(int64_t blocks = 0, int32_t block_positions = kRunnerBlock);
std::unique_ptr<RequestRunner> NewRunner(const RunnerOptions& options = {}, int64_t blocks = 0);

// What became of one choice.
struct ChoiceAnswer {
  std::vector<int32_t> ids = {};
  std::vector<float> logprobs = {};
  ChoiceEnd end = ChoiceEnd::kError;
  bool ended = false;
  bool operator==(const ChoiceAnswer& other) const { return ids == other.ids && end == other.end; }
};

// Collects what it hears. Tests read it after Wait.
class Recorder : public RequestListener {
 public:
  explicit Recorder(int32_t choices = 1) : choices_(static_cast<size_t>(choices)) {}
  void OnAdmitted(const RequestSummary& summary) override;
  bool OnToken(const TokenOutput& token) override;
  void OnChoiceEnd(int32_t choice, ChoiceEnd end) override;
  void OnStepEnd() override { ++step_ends; }
  void OnEnd(const RequestSummary& summary, const absl::Status& status) override;

  void Wait();
  bool ended() const;
  void WaitForTokens(size_t tokens);
  const ChoiceAnswer& choice(size_t i) const { return choices_[i]; }
  const std::vector<ChoiceAnswer>& choices() const { return choices_; }
  const RequestSummary& summary() const { return summary_; }
  const absl::Status& status() const { return status_; }

  std::function<bool(const TokenOutput&)> on_token = {};  // on the runner's thread
  std::function<void()> on_end = {};
  int step_ends = 0;
  int admissions = 0;

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ChoiceAnswer> choices_;
  size_t tokens_ = 0;
  bool ended_ = false;
  RequestSummary summary_;
  absl::Status status_;
};

// Allows tokens of one parity by the place in the text, and forces three in a row at every tenth.
std::unique_ptr<TokenConstraint> NewPattern();

// A request of any kind; prompts begin with one of a few texts.
TokenRequest RandomRequest(std::mt19937& random);
std::vector<int32_t> RandomTokens(std::mt19937& random, size_t count);

// The answer of Generate on an idle session, without drafts.
std::vector<ChoiceAnswer> AnswerAlone(const TokenRequest& request);

// Number of cases, from an environment variable or the default.
int CountFrom(const char* variable, int by_default);

}  // namespace infer::test
