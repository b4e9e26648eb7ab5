// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "ir/base/status_macros.h"
#include "runtime/draft_run.h"
#include "runtime/stop_strings.h"

namespace infer {
namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;

// Outputs pieces of text up to where a stop string could begin.
class TextOutput {
 public:
  TextOutput(StopStrings stops, TextDecoder& decoder, const GenerationCallbacks& callbacks)
      : stops_(std::move(stops)), decoder_(decoder), callbacks_(callbacks) {
    // A previous text that ended with an error may have left part of a character behind.
    decoder_.Flush(&piece_);
  }

  // Returns the reason if the text ends here.
  std::optional<StopReason> Append(int32_t id) {
    piece_.clear();
    decoder_.Append(id, &piece_);
    Show(stops_.Push(piece_));
    return Ended();
  }

  // Outputs what was held back, which can still turn out to contain a stop string.
  GenerationResult Finish(StopReason reason, GenerationResult result) {
    result.reason = reason;
    piece_.clear();
    decoder_.Flush(&piece_);
    Show(stops_.Push(piece_));
    Show(stops_.Finish());
    if (stops_.found()) result.reason = StopReason::kStopString;
    return result;
  }

 private:
  void Show(std::string_view text) {
    if (text.empty() || refused_ || !callbacks_.on_text) return;
    refused_ = !callbacks_.on_text(text);
  }

  std::optional<StopReason> Ended() const {
    if (stops_.found()) return StopReason::kStopString;
    if (refused_) return StopReason::kCallback;
    return std::nullopt;
  }

  StopStrings stops_;
  TextDecoder& decoder_;
  const GenerationCallbacks& callbacks_;
  std::string piece_;
  bool refused_ = false;  // on_text returned false
};

// Chooses tokens: forced by the constraint, or sampled from what it allows.
class TokenChooser {
 public:
  TokenChooser(Sampler sampler, TokenConstraint* constraint)
      : sampler_(std::move(sampler)), constraint_(constraint) {}

  // Why calls must copy whole rows of logits; empty: they need not.
  std::string_view WhyWholeRows(int64_t largest) const { return sampler_.WhyWholeRows(largest); }

  // From row `row` of the session's logits.
  absl::StatusOr<int32_t> Choose(Session& session, int64_t row) {
    if (constraint_ != nullptr) {
      forced_.clear();
      constraint_->Force(1, &forced_);
      if (!forced_.empty()) return forced_[0];
    }
    if (const auto sampled = sampler_.SampleTop(session.top_logits(row), constraint_)) {
      return sampled->id;
    }
    RETURN_IF_ERROR(session.FetchLogits());
    ASSIGN_OR_RETURN(SampledToken sampled, sampler_.Sample(session.logits(row), constraint_));
    return sampled.id;
  }

  void AcceptPrompt(std::span<const int32_t> ids) {
    for (int32_t id : ids) sampler_.Accept(id);
  }
  void Accept(int32_t id) {
    sampler_.Accept(id);
    if (constraint_ != nullptr) constraint_->Accept(id);
  }

 private:
  Sampler sampler_;
  TokenConstraint* constraint_;
  std::vector<int32_t> forced_;
};

// Lets the session's calls leave whole rows of logits where they are while a text is generated that
// needs none.
class RowsInPlace {
 public:
  RowsInPlace(Session& session, bool whole_rows) : session_(session) {
    session_.WantWholeRows(whole_rows);
  }
  ~RowsInPlace() { session_.WantWholeRows(true); }
  RowsInPlace(const RowsInPlace&) = delete;
  RowsInPlace& operator=(const RowsInPlace&) = delete;

 private:
  Session& session_;
};

// The logits after each token of the text: of a call of the model, or of a draft that a call ran
// ahead.
class NextLogits {
 public:
  // Whatever ends the text, the cache keeps nothing that is not part of it.
  ~NextLogits() { EndDraft(); }
  NextLogits(const NextLogits&) = delete;
  NextLogits& operator=(const NextLogits&) = delete;
  NextLogits(Session& session, const GenerationOptions& options, const std::atomic<bool>* stop)
      : session_(session),
        run_({options.drafter, options.draft_length, options.constraint, stop}),
        drafter_(options.drafter),
        stop_(stop) {}

  int64_t row() const { return run_.row(); }
  const DraftCounts& counts() const { return run_.counts(); }

  // Moves to the logits after `text`, which is longer by one token than before. Returns a reason to
  // end if that is not possible.
  absl::StatusOr<std::optional<StopReason>> Advance(std::span<const int32_t> text) {
    if (run_.Continue(text.back())) return std::nullopt;
    EndDraft();
    const int64_t left = session_.context() - std::ssize(session_.tokens());
    if (left <= 0) return StopReason::kContextFull;
    // The token itself and the draft go into the cache, and every one of them has logits.
    const int64_t room = std::min({left, session_.max_chunk(), session_.max_logit_rows()}) - 1;
    const Clock::time_point start = Clock::now();
    const absl::StatusOr<std::span<const int32_t>> call = run_.NextCall(text, room);
    session_.metrics().DraftMade(Milliseconds(Clock::now() - start).count());
    const absl::Status ran = call.ok() ? session_.DecodeDraft(*call, stop_) : call.status();
    if (ran.ok()) {
      run_.Took(Milliseconds(Clock::now() - start).count());
      return std::nullopt;
    }
    run_.Abandon();
    if (absl::IsCancelled(ran)) return StopReason::kCancelled;
    return ran;
  }

  // Goes on after `text` in a cache that holds it and nothing else. Returns a reason to end if that
  // is not possible.
  absl::StatusOr<std::optional<StopReason>> Restart(std::span<const int32_t> text,
                                                    const Session::PrefillProgress& progress) {
    EndDraft();
    if (std::ssize(text) >= session_.context()) return StopReason::kContextFull;
    absl::Status ran = session_.Prefill(text, stop_, progress);
    if (ran.ok() && drafter_ != nullptr) ran = drafter_->Begin(text, stop_);
    if (ran.ok()) return std::nullopt;
    if (absl::IsCancelled(ran)) return StopReason::kCancelled;
    return ran;
  }

  // Takes back what a draft has put into the cache beyond the text.
  void EndDraft() {
    const DraftCounts done = run_.End();
    session_.metrics().DraftDone(done);
    session_.Rewind(std::ssize(session_.tokens()) - (done.proposed - done.accepted));
  }

 private:
  Session& session_;
  DraftRun run_;
  Drafter* drafter_;
  const std::atomic<bool>* stop_;
};

}  // namespace

std::string_view Name(StopReason reason) {
  constexpr std::string_view kNames[] = {"max_tokens",   "end_token", "stop_string",
                                         "context_full", "cancelled", "callback"};
  return kNames[static_cast<int>(reason)];
}

absl::StatusOr<GenerationResult> Generate(Session& session, std::span<const int32_t> prompt,
                                          const GenerationOptions& options, TextDecoder& decoder,
                                          const GenerationCallbacks& callbacks) {
  const Clock::time_point start = Clock::now();
  session.metrics().BeginRequest();
  ASSIGN_OR_RETURN(StopStrings stops, StopStrings::Create(options.stop));
  ASSIGN_OR_RETURN(Sampler sampler, session.NewSampler(options.sampler));
  TokenChooser chooser(std::move(sampler), options.constraint);
  GenerationResult result;
  result.whole_rows_because = session.most_top_logits() == 0
                                  ? "calls give nothing else"
                                  : chooser.WhyWholeRows(session.most_top_logits());
  if (callbacks.on_logits) result.whole_rows_because = "they are reported";
  const RowsInPlace in_place(session, !result.whole_rows_because.empty());
  absl::Status prefilled = session.Prefill(prompt, callbacks.stop, callbacks.on_prefill);
  if (absl::IsCancelled(prefilled)) return GenerationResult{.reason = StopReason::kCancelled};
  RETURN_IF_ERROR(prefilled);
  if (options.drafter != nullptr) {
    const absl::Status begun = options.drafter->Begin(prompt, callbacks.stop);
    if (absl::IsCancelled(begun)) return GenerationResult{.reason = StopReason::kCancelled};
    RETURN_IF_ERROR(begun);
  }
  chooser.AcceptPrompt(prompt);

  TextOutput text(std::move(stops), decoder, callbacks);
  std::vector<int32_t> whole(prompt.begin(), prompt.end());  // and what was generated
  NextLogits next(session, options, callbacks.stop);
  auto finish = [&](StopReason reason) {
    next.EndDraft();
    result.drafts = next.counts();
    return text.Finish(reason, std::move(result));
  };
  int64_t room = session.context() - std::ssize(session.tokens()) + 1;
  result.ids.reserve(static_cast<size_t>(std::clamp<int64_t>(options.max_tokens, 0, room)));
  whole.reserve(prompt.size() + result.ids.capacity());
  while (std::ssize(result.ids) < options.max_tokens) {
    if (!result.ids.empty()) {
      ASSIGN_OR_RETURN(std::optional<StopReason> end, next.Advance(whole));
      if (end == StopReason::kContextFull && callbacks.shorten_prompt) {
        if (std::optional<std::vector<int32_t>> shorter = callbacks.shorten_prompt()) {
          whole = *std::move(shorter);
          whole.insert(whole.end(), result.ids.begin(), result.ids.end());
          ASSIGN_OR_RETURN(end, next.Restart(whole, callbacks.on_prefill));
        }
      }
      if (end) return finish(*end);
    }
    ASSIGN_OR_RETURN(const int32_t id, chooser.Choose(session, next.row()));
    session.metrics().FirstToken(Milliseconds(Clock::now() - start).count());
    if (std::ranges::find(options.end_ids, id) != options.end_ids.end()) {
      return finish(StopReason::kEndToken);
    }
    chooser.Accept(id);
    result.ids.push_back(id);
    whole.push_back(id);
    if (callbacks.on_logits) callbacks.on_logits(session.logits(next.row()));
    if (callbacks.on_token) callbacks.on_token(id);
    if (std::optional<StopReason> end = text.Append(id)) return finish(*end);
  }
  return finish(StopReason::kMaxTokens);
}

}  // namespace infer
