// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/serving/inbox.h"
#include "runtime/serving/request_runner.h"
#include "runtime/serving/runner_report.h"
#include "runtime/serving/running_streams.h"
#include "runtime/serving/step_cost.h"
#include "runtime/serving/step_planner.h"
#include "runtime/serving/waiting_line.h"

namespace infer {

// The runner's thread: takes what was asked, admits streams, builds a call, runs it, chooses and
// reports tokens, and again. All members but the inbox and the report belong to that thread.
class RequestRunner::Loop {
 public:
  Loop(std::shared_ptr<Engine> engine, const RunnerOptions& options);
  ~Loop();
  // Ends what runs, and the thread. Not from several threads at a time.
  void Stop();

  Inbox& inbox() { return inbox_; }
  const RunnerReport& report() const { return report_; }
  Engine& engine() { return *engine_; }
  RequestId NewId() { return ++last_id_; }

 private:
  // A stream in the call, or a clone of one that shares its row of logits.
  struct InStep {
    ActiveRequest* request = nullptr;
    TextStream* stream = nullptr;
    size_t index = 0;  // of its StepRequest
    bool is_prompt = false;
  };

  // runner_loop.cc
  void Run();
  void RunOnce();
  bool HasWork() const;
  void Apply(Inbox::Commands commands);
  void Admit();
  void EndChoice(ActiveRequest* request, TextStream* stream, ChoiceEnd end);
  void EndRequest(ActiveRequest* request, absl::Status status);
  void EndAll(const absl::Status& status);
  void RequeuePreempted();
  void Publish(bool always);

  // runner_prefetch.cc
  void StartPrefetch();
  void StopPrefetch();

  // runner_step.cc
  bool BuildStep();
  void AddDecodeRows();
  void AddPrompts();
  void AddAnything();
  void AddToStep(RunningStream* running, const StepRequest& request, bool is_prompt);
  void RunStep();
  void StepFailed(const absl::Status& status);
  void StartClones(const InStep& original, std::vector<InStep>* open);
  void ChooseTokens();
  bool TakeToken(const InStep& in, const absl::StatusOr<SampledToken>& token);
  void FinishStep();
  void CountStep(double call_ms);

  std::shared_ptr<Engine> engine_;
  const RunnerOptions options_;
  Inbox inbox_;
  RunnerReport report_;
  std::atomic<RequestId> last_id_ = 0;

  std::map<RequestId, std::unique_ptr<ActiveRequest>> requests_;
  std::vector<std::unique_ptr<ActiveRequest>> ended_;  // still referred to until the step is over
  std::unique_ptr<ActiveRequest> prefetch_;  // has a place only while there is no other work
  std::deque<PrefixToPrefetch> prefetches_;
  RunningStreams running_;
  WaitingLine waiting_;
  TenantShares shares_;
  StepCost cost_;
  std::optional<DraftEstimates> draft_estimates_;  // none: no drafts

  // The call being built or run.
  std::vector<StepRequest> step_;
  std::vector<InStep> in_step_;
  SymbolValues symbols_;
  StepRecord record_;
  std::vector<RowToSample> rows_;
  std::vector<absl::StatusOr<SampledToken>> tokens_;

  RunnerState state_;  // totals so far
  RunnerState shown_;  // memory of what was published before
  double last_publish_ms_ = 0;
  std::thread thread_;  // last: everything is there when it starts
};

}  // namespace infer
