// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "runtime/logit_row.h"

namespace infer {

// A token that can still be chosen.
struct Candidate {
  double weight;  // proportional to its probability
  float logit;
  int32_t id;
};

// weight = PortableExp((logit - largest) / temperature).
void Weigh(std::span<Candidate> candidates, float largest, double temperature);

// A logit at and below which a token weighs less than `weight`, by more than any rounding.
float LogitBelow(float largest, double weight);

// Memory that the cut works in, kept from row to row.
struct TopPBuffers {
  std::vector<TokenLogit> tokens;
  std::vector<TokenLogit> scratch;
};

// Replaces `kept` by the most probable tokens of the row, in order, until their probabilities reach
// top_p, the one that crosses it included. Probabilities are PortableExp(logit - largest) divided
// by the sum of all of them in order of id.
void KeepTopP(std::span<const float> logits, float largest, double top_p, TopPBuffers* buffers,
              std::vector<Candidate>* kept);

}  // namespace infer
