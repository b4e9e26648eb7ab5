// SPDX-License-Identifier: Apache-2.0
//
// The text generation loop: takes a prompt and produces tokens one by one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/draft_length.h"
#include "runtime/drafter.h"
#include "runtime/sampler.h"
#include "runtime/session.h"
#include "runtime/text_decoder.h"
#include "runtime/token_constraint.h"

namespace infer {

struct GenerationOptions {
  int64_t max_tokens = 256;
  SamplerOptions sampler;
  std::vector<int32_t> end_ids;   // tokens that end the text
  std::vector<std::string> stop;  // strings that end it; never output
  // Drafts, which speed up texts that repeat themselves and never change them. The Program's R must
  // allow the rows of a draft and one more; else drafts are shorter.
  Drafter* drafter = nullptr;             // must outlive the call; null: none
  DraftLength* draft_length = nullptr;    // null: kMaxDraft
  TokenConstraint* constraint = nullptr;  // on the generated tokens; must outlive the call
};

enum class StopReason { kMaxTokens, kEndToken, kStopString, kContextFull, kCancelled, kCallback };
std::string_view Name(StopReason reason);

struct GenerationResult {
  std::vector<int32_t> ids = {};  // generated, the end token not included
  StopReason reason = StopReason::kMaxTokens;
  DraftCounts drafts = {};
  std::string_view whole_rows_because = {};  // why calls copied whole rows; empty: they did not
};

struct GenerationCallbacks {
  // Receives text in pieces as it becomes complete; returning false ends the generation.
  std::function<bool(std::string_view text)> on_text;
  // Receives the model's logits that a token was chosen from. Calls then copy whole rows of them.
  std::function<void(std::span<const float> logits)> on_logits;
  // Receives each token, after its logits and before its text.
  std::function<void(int32_t id)> on_token;
  Session::PrefillProgress on_prefill;
  // Asked when the context is full: returns a shorter prompt that the generated tokens go on from,
  // or nothing if the text ends here. Without it the text ends.
  std::function<std::optional<std::vector<int32_t>>()> shorten_prompt;
  const std::atomic<bool>* stop = nullptr;
};

// Runs `prompt` and continues it. Setting the stop flag ends generation with the tokens so far
// (kCancelled in the result, not an error); if it is set while the prompt runs, the result is
// empty. Generation also ends when the context is full and cannot be made shorter.
absl::StatusOr<GenerationResult> Generate(Session& session, std::span<const int32_t> prompt,
                                          const GenerationOptions& options, TextDecoder& decoder,
                                          const GenerationCallbacks& callbacks);

}  // namespace infer
