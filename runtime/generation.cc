// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "ir/base/status_macros.h"
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

// The logits after each token of the text: of a call of the model, or of a draft that a call ran
// ahead.
class NextLogits {
 public:
  NextLogits(Session& session, const GenerationOptions& options, const std::atomic<bool>* stop)
      : session_(session), options_(options), stop_(stop) {}

  std::span<const float> row() const { return session_.logits(row_); }
  DraftCounts counts() const { return counts_; }

  // Moves to the logits after `text`, which is longer by one token than before. Returns a reason to
  // end if that is not possible.
  absl::StatusOr<std::optional<StopReason>> Advance(std::span<const int32_t> text) {
    if (row_ < std::ssize(draft_) && draft_[static_cast<size_t>(row_)] == text.back()) {
      ++row_;
      return std::nullopt;
    }
    EndDraft(std::ssize(text) - 1);
    if (std::ssize(session_.tokens()) >= session_.context()) return StopReason::kContextFull;
    RETURN_IF_ERROR(Draft(text));
    ++counts_.calls;
    absl::Status run;
    if (draft_.empty()) {
      run = session_.Decode(text.back(), stop_);
    } else {
      call_.assign(1, text.back());
      call_.insert(call_.end(), draft_.begin(), draft_.end());
      run = session_.DecodeDraft(call_, stop_);
    }
    if (absl::IsCancelled(run)) return StopReason::kCancelled;
    RETURN_IF_ERROR(run);
    return std::nullopt;
  }

  // Takes back what a draft has put into the cache beyond the `length` tokens of the text.
  void EndDraft(int64_t length) {
    if (draft_.empty()) return;
    counts_.proposed += std::ssize(draft_);
    counts_.accepted += row_;
    if (options_.draft_length != nullptr) options_.draft_length->Done(std::ssize(draft_), row_);
    session_.metrics().DraftDone(std::ssize(draft_), row_);
    session_.Rewind(std::min<int64_t>(length, std::ssize(session_.tokens())));
    draft_.clear();
    row_ = 0;
  }

 private:
  absl::Status Draft(std::span<const int32_t> text) {
    if (options_.drafter == nullptr) return absl::OkStatus();
    // The token itself and the draft go into the cache, and every one of them has logits.
    const int64_t room =
        std::min({session_.context() - std::ssize(session_.tokens()) - 1, session_.max_chunk() - 1,
                  session_.max_logit_rows() - 1, kMaxDraft});
    const int64_t wanted =
        options_.draft_length == nullptr ? kMaxDraft : options_.draft_length->Next();
    if (std::min(room, wanted) <= 0) return absl::OkStatus();
    return options_.drafter->Propose(text, std::min(room, wanted), &draft_);
  }

  Session& session_;
  const GenerationOptions& options_;
  const std::atomic<bool>* stop_;
  std::vector<int32_t> draft_;
  std::vector<int32_t> call_;
  int64_t row_ = 0;  // of the last call's logits; so many tokens of the draft were accepted
  DraftCounts counts_;
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
  ASSIGN_OR_RETURN(Sampler sampler,
                   Sampler::Create(options.sampler, static_cast<int32_t>(session.vocabulary())));
  absl::Status prefilled = session.Prefill(prompt, callbacks.stop, callbacks.on_prefill);
  if (absl::IsCancelled(prefilled)) return GenerationResult{.reason = StopReason::kCancelled};
  RETURN_IF_ERROR(prefilled);
  for (int32_t id : prompt) sampler.Accept(id);

  TextOutput text(std::move(stops), decoder, callbacks);
  GenerationResult result;
  std::vector<int32_t> whole(prompt.begin(), prompt.end());  // and what was generated
  NextLogits next(session, options, callbacks.stop);
  auto finish = [&](StopReason reason) {
    // The last token has been run only if another one, which ended the text, was sampled after it.
    const int64_t text_tokens = std::ssize(whole);
    next.EndDraft(reason == StopReason::kEndToken ? text_tokens : text_tokens - 1);
    result.drafts = next.counts();
    return text.Finish(reason, std::move(result));
  };
  int64_t room = session.context() - std::ssize(session.tokens()) + 1;
  result.ids.reserve(static_cast<size_t>(std::clamp<int64_t>(options.max_tokens, 0, room)));
  whole.reserve(prompt.size() + result.ids.capacity());
  while (std::ssize(result.ids) < options.max_tokens) {
    if (!result.ids.empty()) {
      ASSIGN_OR_RETURN(std::optional<StopReason> end, next.Advance(whole));
      if (end) return finish(*end);
    }
    ASSIGN_OR_RETURN(SampledToken sampled, sampler.Sample(next.row()));
    session.metrics().FirstToken(Milliseconds(Clock::now() - start).count());
    if (std::ranges::find(options.end_ids, sampled.id) != options.end_ids.end()) {
      return finish(StopReason::kEndToken);
    }
    sampler.Accept(sampled.id);
    result.ids.push_back(sampled.id);
    whole.push_back(sampled.id);
    if (callbacks.on_token) callbacks.on_token(sampled.id);
    if (std::optional<StopReason> end = text.Append(sampled.id)) return finish(*end);
  }
  return finish(StopReason::kMaxTokens);
}

}  // namespace infer
