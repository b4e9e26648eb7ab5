// SPDX-License-Identifier: Apache-2.0
#include "runtime/generation.h"

#include <algorithm>
#include <chrono>

#include "ir/status_macros.h"
#include "runtime/stop_strings.h"

namespace infer {
namespace {

// Shows pieces of text as far as no stop string can begin in them.
class TextOutput {
 public:
  TextOutput(StopStrings stops, TextDecoder& decoder, const GenerationCallbacks& callbacks)
      : stops_(std::move(stops)), decoder_(decoder), callbacks_(callbacks) {}

  // False if the text ends here.
  bool Append(int32_t id) {
    piece_.clear();
    decoder_.Append(id, &piece_);
    return Show(stops_.Push(piece_)) && !stops_.found();
  }

  void Finish() {
    piece_.clear();
    decoder_.Flush(&piece_);
    if (!Show(stops_.Push(piece_))) return;
    Show(stops_.Finish());
  }

  bool found_stop() const { return stops_.found().has_value(); }

 private:
  bool Show(std::string_view text) {
    if (text.empty() || !callbacks_.on_text) return true;
    return callbacks_.on_text(text);
  }

  StopStrings stops_;
  TextDecoder& decoder_;
  const GenerationCallbacks& callbacks_;
  std::string piece_;
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
  using Clock = std::chrono::steady_clock;
  Clock::time_point start = Clock::now();
  GenerationResult result;
  ASSIGN_OR_RETURN(StopStrings stops, StopStrings::Create(options.stop));
  ASSIGN_OR_RETURN(Sampler sampler,
                   Sampler::Create(options.sampler, static_cast<int32_t>(session.vocabulary())));
  absl::Status prefilled = session.Prefill(prompt, callbacks.stop, callbacks.on_prefill);
  if (absl::IsCancelled(prefilled)) {
    result.reason = StopReason::kCancelled;
    return result;
  }
  RETURN_IF_ERROR(prefilled);
  for (int32_t id : prompt) sampler.Accept(id);
  TextOutput text(std::move(stops), decoder, callbacks);
  result.ids.reserve(static_cast<size_t>(std::clamp<int64_t>(options.max_tokens, 0, 1 << 20)));
  for (int64_t i = 0; i < options.max_tokens; ++i) {
    ASSIGN_OR_RETURN(SampledToken sampled, sampler.Sample(session.logits()));
    session.metrics().FirstToken(
        std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    if (std::find(options.end_ids.begin(), options.end_ids.end(), sampled.id) !=
        options.end_ids.end()) {
      result.reason = StopReason::kEndToken;
      break;
    }
    sampler.Accept(sampled.id);
    result.ids.push_back(sampled.id);
    if (callbacks.on_token) callbacks.on_token(sampled.id);
    if (!text.Append(sampled.id)) {
      result.reason = text.found_stop() ? StopReason::kStopString : StopReason::kCallback;
      break;
    }
    if (i + 1 == options.max_tokens) break;
    if (static_cast<int64_t>(session.tokens().size()) >= session.context()) {
      result.reason = StopReason::kContextFull;
      break;
    }
    absl::Status decoded = session.Decode(sampled.id, callbacks.stop);
    if (absl::IsCancelled(decoded)) {
      result.reason = StopReason::kCancelled;
      break;
    }
    RETURN_IF_ERROR(decoded);
  }
  if (result.reason != StopReason::kCallback) text.Finish();
  return result;
}

}  // namespace infer
