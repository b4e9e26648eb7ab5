// SPDX-License-Identifier: Apache-2.0
//
// How far one model's probabilities are from another's, token by token.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "tools/eval/log_prob_source.h"

namespace infer {

struct KlResult {
  int64_t tokens = 0;
  double mean = 0;            // in nats
  double standard_error = 0;  // of the mean
  double median = 0;
  double percentile_99 = 0;
  double percentile_999 = 0;
  double max = 0;
  double same_top = 0;  // share of the tokens for which both find the same one most likely
};

class KlDivergence {
 public:
  explicit KlDivergence(int64_t vocabulary)
      : base_row_(static_cast<size_t>(vocabulary)), other_row_(base_row_.size()) {}

  // Adds the divergence of `other` from `base` after each token of the window's second half but the
  // last; `chunk` tokens are appended at a time.
  absl::Status AddWindow(int64_t number, std::span<const int32_t> window, int64_t chunk,
                         LogProbSource& base, LogProbSource& other);
  // Adds the divergence of `other` from `base`: both are ln p of every token of the vocabulary.
  void Add(std::span<const float> base, std::span<const float> other);
  KlResult Result() const;

 private:
  std::vector<float> base_row_, other_row_;
  std::vector<double> values_;
  int64_t same_top_ = 0;
};

}  // namespace infer
