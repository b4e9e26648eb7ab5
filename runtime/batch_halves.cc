// SPDX-License-Identifier: Apache-2.0
#include "runtime/batch_halves.h"

#include <algorithm>
#include <cstdlib>

namespace infer {

BatchHalves::BatchHalves(int64_t most_tokens, int64_t most_sequences) {
  sequences_.reserve(static_cast<size_t>(most_sequences + 1));
  token_seq_.reserve(static_cast<size_t>(most_tokens));
  out_rows_.reserve(static_cast<size_t>(most_tokens));
}

int64_t MiddleOf(const Batch& batch, int64_t least, int64_t part) {
  const auto tokens = std::ssize(batch.token_seq);
  const auto distance = [&](int64_t middle) { return std::abs(2 * middle - tokens); };
  int64_t best = 0;
  const auto consider = [&](int64_t middle) {
    if (middle < least || tokens - middle < least) return;
    if (best == 0 || distance(middle) < distance(best)) best = middle;
  };
  for (const BatchSequence& sequence : batch.sequences) {
    const int64_t first = sequence.first_token, end = first + sequence.count;
    consider(first);
    if (sequence.count >= 2 * part) {
      consider(std::clamp(tokens / 2, first + part, end - part));
    }
  }
  return best;
}

void BatchHalves::Divide(std::span<const int32_t> tokens, const Batch& batch,
                         int64_t tokens_of_first) {
  const auto middle = static_cast<size_t>(tokens_of_first);
  const auto first_tokens = static_cast<int32_t>(middle);
  const int32_t divided = batch.token_seq[middle];  // the sequence in which the second half begins
  sequences_.clear();
  for (BatchSequence sequence : batch.sequences) {
    if (sequence.first_token >= first_tokens) break;
    const int32_t later = std::max(0, sequence.first_token + sequence.count - first_tokens);
    sequence.count -= later;
    sequence.length -= later;
    sequences_.push_back(sequence);
  }
  const size_t of_first = sequences_.size();
  for (BatchSequence sequence : batch.sequences.subspan(static_cast<size_t>(divided))) {
    const int32_t earlier = std::max(0, first_tokens - sequence.first_token);
    sequence.first_token += earlier - first_tokens;
    sequence.count -= earlier;
    sequences_.push_back(sequence);
  }
  token_seq_.clear();
  for (int32_t sequence : batch.token_seq.subspan(middle)) {
    token_seq_.push_back(sequence - divided);
  }
  const std::span<const BatchSequence> sequences = sequences_;
  halves_[0].tokens = tokens.first(middle);
  halves_[0].batch = {.token_seq = batch.token_seq.first(middle),
                      .token_pos = batch.token_pos.first(middle),
                      .token_slot = batch.token_slot.first(middle),
                      .out_rows = {},
                      .sequences = sequences.first(of_first),
                      .block_positions = batch.block_positions};
  halves_[1].tokens = tokens.subspan(middle);
  halves_[1].batch = {.token_seq = token_seq_,
                      .token_pos = batch.token_pos.subspan(middle),
                      .token_slot = batch.token_slot.subspan(middle),
                      .out_rows = {},
                      .sequences = sequences.subspan(of_first),
                      .block_positions = batch.block_positions};
  FillRows(batch, first_tokens);
  for (Half& half : halves_) {
    half.symbols = {.t = std::ssize(half.tokens),
                    .r = std::ssize(half.batch.out_rows),
                    .s = 0,
                    .sequences = std::ssize(half.batch.sequences)};
    for (const BatchSequence& sequence : half.batch.sequences) half.symbols.s += sequence.length;
  }
}

void BatchHalves::FillRows(const Batch& batch, int32_t first_tokens) {
  const auto middle = std::ranges::lower_bound(batch.out_rows, first_tokens);
  const auto of_first = static_cast<size_t>(middle - batch.out_rows.begin());
  halves_[0].wants_rows = of_first > 0;
  halves_[1].wants_rows = of_first < batch.out_rows.size();
  last_token_ = first_tokens - 1;
  halves_[0].batch.out_rows =
      of_first > 0 ? batch.out_rows.first(of_first) : std::span<const int32_t>(&last_token_, 1);
  out_rows_.clear();
  for (int32_t row : batch.out_rows.subspan(of_first)) out_rows_.push_back(row - first_tokens);
  if (out_rows_.empty()) {
    out_rows_.push_back(static_cast<int32_t>(halves_[1].tokens.size()) - 1);
  }
  halves_[1].batch.out_rows = out_rows_;
}

}  // namespace infer
