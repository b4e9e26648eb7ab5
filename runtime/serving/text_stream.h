// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "runtime/draft_run.h"
#include "runtime/engine.h"
#include "runtime/serving/stream_drafter.h"
#include "runtime/serving/token_request.h"

namespace infer {

// One choice of a request: its text, and all state that its next token depends on, which survives
// a preemption. The engine holds a part of the text while the stream has a sequence. Whatever the
// calls are, the tokens are those of Generate (runtime/generation.h) with the same options.
class TextStream {
 public:
  TextStream(Engine* engine, const TokenRequest* request, int32_t choice)
      : engine_(engine), request_(request), choice_(choice) {}
  ~TextStream() { Release(); }
  TextStream(const TextStream&) = delete;
  TextStream& operator=(const TextStream&) = delete;

  // Prepares for the first token. `estimates` null: no drafts. Errors are the request's.
  absl::Status Start(const DraftEstimates* estimates);
  bool started() const { return sampler_.has_value(); }

  // Begins a sequence that holds the beginning of the text already.
  absl::Status Begin(std::span<const int32_t> blocks, int64_t tokens);
  // The same with that of another stream, whose text this one's begins with.
  absl::Status BeginAsClone(const TextStream& other);
  void Release();

  // Before a call: the tokens to run. A stream whose only token left is the last one may add a
  // draft of up to `draft_room` tokens for a call that advances `decoding` sequences. A prompt runs
  // up to `most` tokens and has no draft.
  StepRequest NextTokens(int64_t draft_room, int64_t decoding);
  StepRequest NextPromptTokens(int64_t most) const;

  // After a call that ran the end of the text: its rows of logits are gone through one by one.
  // Next row to choose a token from, of request `index` of the call.
  RowToSample NextRow(size_t index);
  // Adds the chosen token. Returns why the text ends with it, if it does: the token itself is not
  // added if it is an end token.
  std::optional<ChoiceEnd> Append(int32_t token);
  // Whether the call has computed logits after the token that was just added.
  bool Continues(int32_t token) { return run_->Continue(token); }
  // Takes back what the cache holds beyond the text. Returns what became of the draft.
  DraftCounts EndCall();
  // The call failed.
  void AbandonCall() { run_->Abandon(); }
  // The call had drafts of this many tokens in every stream and nothing else.
  void CallTook(int64_t drafted, double ms) {
    if (drafter_) drafter_->Took(drafted, ms);
  }

  bool ended = false;  // its end was reported

  int32_t choice() const { return choice_; }
  SequenceId sequence() const { return sequence_; }
  bool running() const { return sequence_ >= 0; }
  // Prompt and generated tokens. Before Start, the prompt.
  std::span<const int32_t> text() const {
    return started() ? std::span<const int32_t>(text_) : std::span(request_->prompt);
  }
  // Tokens of the text that the engine holds, and those that it must run for the next token.
  int64_t held() const { return running() ? std::ssize(engine_->tokens(sequence_)) : 0; }
  int64_t remaining() const { return std::ssize(text()) - held(); }
  bool is_prefilling() const { return remaining() > 1 || generated_ == 0; }
  int64_t generated() const { return generated_; }
  const RowLogprobs* logprobs() const { return wants_logprobs() ? &logprobs_ : nullptr; }

 private:
  bool wants_logprobs() const { return request_->top_logprobs >= 0; }

  Engine* engine_;
  const TokenRequest* request_;
  int32_t choice_;
  SequenceId sequence_ = -1;
  int64_t generated_ = 0;
  std::vector<int32_t> text_;
  std::optional<Sampler> sampler_;
  std::unique_ptr<TokenConstraint> constraint_;
  std::optional<StreamDrafter> drafter_;
  std::optional<DraftRun> run_;
  std::vector<int32_t> forced_;
  RowLogprobs logprobs_;
  bool whole_rows_ = true;  // of logits are needed for every token
};

}  // namespace infer
