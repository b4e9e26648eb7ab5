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

// Runs the token that was appended last. Returns a reason to end if that is not possible.
absl::StatusOr<std::optional<StopReason>> Continue(Session& session, int32_t token,
                                                   const std::atomic<bool>* stop) {
  if (std::ssize(session.tokens()) >= session.context()) return StopReason::kContextFull;
  absl::Status decoded = session.Decode(token, stop);
  if (absl::IsCancelled(decoded)) return StopReason::kCancelled;
  RETURN_IF_ERROR(decoded);
  return std::nullopt;
}

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
  if (absl::IsCancelled(prefilled)) return GenerationResult{{}, StopReason::kCancelled};
  RETURN_IF_ERROR(prefilled);
  for (int32_t id : prompt) sampler.Accept(id);

  TextOutput text(std::move(stops), decoder, callbacks);
  GenerationResult result;
  int64_t room = session.context() - std::ssize(session.tokens()) + 1;
  result.ids.reserve(static_cast<size_t>(std::clamp<int64_t>(options.max_tokens, 0, room)));
  while (std::ssize(result.ids) < options.max_tokens) {
    if (!result.ids.empty()) {
      ASSIGN_OR_RETURN(std::optional<StopReason> end,
                       Continue(session, result.ids.back(), callbacks.stop));
      if (end) return text.Finish(*end, std::move(result));
    }
    ASSIGN_OR_RETURN(SampledToken sampled, sampler.Sample(session.logits()));
    session.metrics().FirstToken(Milliseconds(Clock::now() - start).count());
    if (std::ranges::find(options.end_ids, sampled.id) != options.end_ids.end()) {
      return text.Finish(StopReason::kEndToken, std::move(result));
    }
    sampler.Accept(sampled.id);
    result.ids.push_back(sampled.id);
    if (callbacks.on_token) callbacks.on_token(sampled.id);
    if (std::optional<StopReason> end = text.Append(sampled.id)) {
      return text.Finish(*end, std::move(result));
    }
  }
  return text.Finish(StopReason::kMaxTokens, std::move(result));
}

}  // namespace infer
