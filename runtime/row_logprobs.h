// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace infer {

struct TokenLogprob {
  int32_t id = 0;
  float logprob = 0;  // of the model, before filters and temperature
};

// The model's log probabilities of one row: those of a chosen token and of the likeliest ones.
struct RowLogprobs {
  int32_t wanted = 0;                  // how many of the likeliest
  float chosen = 0;                    // of the chosen token
  std::vector<TokenLogprob> top = {};  // likeliest first; equal ones by lower id
};

// Fills `logprobs` for a row of raw logits, which may be -inf but neither NaN nor +inf. The sum is
// that of 150,000 exponentials, about half a millisecond: only for those who ask.
void ComputeLogprobs(std::span<const float> logits, int32_t chosen, RowLogprobs* logprobs);

}  // namespace infer
