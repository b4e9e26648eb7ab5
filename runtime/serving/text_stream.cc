// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/text_stream.h"

#include <algorithm>
#include <exception>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

absl::StatusOr<std::unique_ptr<TokenConstraint>> NewConstraint(const TokenRequest& request) {
  if (!request.new_constraint) return nullptr;
  try {
    return request.new_constraint();
  } catch (const std::exception& error) {
    return absl::InternalError(
        StrCat("the constraint of the request could not be made: ", error.what()));
  }
}

}  // namespace

absl::Status TextStream::Start(const DraftEstimates* estimates) {
  SamplerOptions options = request_->sampler;
  options.seed += static_cast<uint64_t>(choice_);
  ASSIGN_OR_RETURN(Sampler sampler, engine_->NewSampler(options));
  ASSIGN_OR_RETURN(constraint_, NewConstraint(*request_));
  if (estimates != nullptr) drafter_.emplace(*estimates, engine_->context());
  run_.emplace(
      DraftSource{.drafter = drafter_ ? &*drafter_ : nullptr, .constraint = constraint_.get()});
  logprobs_.wanted = request_->top_logprobs;
  const int64_t largest = engine_->most_top_logits();
  whole_rows_ = wants_logprobs() || largest == 0 || !sampler.WhyWholeRows(largest).empty();
  text_ = request_->prompt;
  for (const int32_t id : text_) sampler.Accept(id);
  sampler_.emplace(std::move(sampler));
  return absl::OkStatus();
}

absl::Status TextStream::Begin(std::span<const int32_t> blocks, int64_t tokens) {
  ASSIGN_OR_RETURN(sequence_,
                   engine_->NewSequence(blocks, text().first(static_cast<size_t>(tokens))));
  return absl::OkStatus();
}

absl::Status TextStream::BeginAsClone(const TextStream& other) {
  ASSIGN_OR_RETURN(sequence_, engine_->Clone(other.sequence_));
  return absl::OkStatus();
}

void TextStream::Release() {
  if (running()) engine_->Release(sequence_);
  sequence_ = -1;
}

StepRequest TextStream::NextTokens(int64_t draft_room, int64_t decoding) {
  if (drafter_) drafter_->SetDecoding(decoding);
  const int64_t left = engine_->context() - held();
  const absl::StatusOr<std::span<const int32_t>> call =
      run_->NextCall(text_, std::min(left - 1, draft_room));
  // Only a stop flag, which there is not, ends a draft with an error.
  if (!call.ok()) return {sequence_, std::span(text_).last(1), 1, whole_rows_};
  return {sequence_, *call, static_cast<int32_t>(call->size()), whole_rows_};
}

StepRequest TextStream::NextPromptTokens(int64_t most) const {
  const int64_t count = std::min(most, remaining());
  return {sequence_, text().subspan(static_cast<size_t>(held()), static_cast<size_t>(count)),
          count == remaining() ? 1 : 0, whole_rows_};
}

RowToSample TextStream::NextRow(size_t index) {
  RowToSample row = {.sampler = &*sampler_,
                     .logits = engine_->logits(index, run_->row()),
                     .constraint = constraint_.get(),
                     .logprobs = wants_logprobs() ? &logprobs_ : nullptr,
                     .top = engine_->top_logits(index, run_->row())};
  if (constraint_ != nullptr) {
    forced_.clear();
    constraint_->Force(1, &forced_);
    if (!forced_.empty()) row.forced = forced_[0];
  }
  return row;
}

std::optional<ChoiceEnd> TextStream::Append(int32_t token) {
  if (std::ranges::find(request_->end_ids, token) != request_->end_ids.end()) {
    return ChoiceEnd::kEndToken;
  }
  sampler_->Accept(token);
  if (constraint_ != nullptr) constraint_->Accept(token);
  text_.push_back(token);
  ++generated_;
  if (generated_ >= request_->max_tokens) return ChoiceEnd::kMaxTokens;
  if (std::ssize(text_) > engine_->context()) return ChoiceEnd::kContextFull;
  return std::nullopt;
}

DraftCounts TextStream::EndCall() {
  const DraftCounts done = run_->End();
  if (drafter_) drafter_->Done(done);
  engine_->Rewind(sequence_, held() - (done.proposed - done.accepted));
  return done;
}

}  // namespace infer
