// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/replay.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "ir/base/status_macros.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;

class Replayer {
 public:
  Replayer(Engine* engine, const ReplayedText& text)
      : engine_(engine),
        text_(text),
        run_(text.drafts),
        known_(std::ssize(engine->tokens(text.sequence))) {}

  // Samples tokens of the text as far as the last call has logits for them. Returns the tokens of
  // the next call; none at the end of the text.
  absl::StatusOr<std::span<const int32_t>> Advance(int64_t most_tokens) {
    if (is_called_) ++known_;
    is_called_ = false;
    while (known_ < total() && run_.Continue(text_.tokens[static_cast<size_t>(known_)])) ++known_;
    const DraftCounts done = run_.End();
    const int64_t held = std::ssize(engine_->tokens(text_.sequence));
    engine_->Rewind(text_.sequence, held - (done.proposed - done.accepted));
    if (known_ == total()) return std::span<const int32_t>();
    is_called_ = true;
    const int64_t room = std::min(most_tokens, engine_->context() - known_) - 1;
    return run_.NextCall(text_.tokens.first(static_cast<size_t>(known_ + 1)), room);
  }

  void Took(double time) { run_.Took(time); }

  const DraftCounts& counts() const { return run_.counts(); }

 private:
  int64_t total() const { return std::ssize(text_.tokens); }

  Engine* engine_;
  ReplayedText text_;
  DraftRun run_;
  int64_t known_;           // tokens of the text, after the last of which there are logits
  bool is_called_ = false;  // by the next Advance, the call that was returned last has run
};

}  // namespace

absl::StatusOr<ReplayResult> Replay(Engine& engine, std::span<const ReplayedText> texts,
                                    const std::atomic<bool>* stop) {
  std::vector<Replayer> replayers;
  for (const ReplayedText& text : texts) replayers.emplace_back(&engine, text);
  const int64_t most_rows =
      std::min(engine.max_step_tokens(), engine.program().symbols[Symbol::kR].max);
  std::vector<StepRequest> requests;
  ReplayResult result;
  for (;;) {
    const Clock::time_point start = Clock::now();
    requests.clear();
    for (size_t i = 0; i < texts.size(); ++i) {
      ASSIGN_OR_RETURN(const std::span<const int32_t> call,
                       replayers[i].Advance(most_rows / std::ssize(texts)));
      if (call.empty()) continue;
      requests.push_back({texts[i].sequence, call, static_cast<int32_t>(call.size())});
    }
    if (requests.empty()) break;
    RETURN_IF_ERROR(engine.Step(requests, {.stop = stop}));
    ++result.calls;
    // With several texts, a call's time says little about the draft of one.
    if (replayers.size() == 1) {
      replayers[0].Took(std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  for (const Replayer& replayer : replayers) result.drafts += replayer.counts();
  return result;
}

}  // namespace infer
