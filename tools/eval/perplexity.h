// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/statusor.h"
#include "runtime/session.h"

namespace infer {

struct PerplexityResult {
  int64_t windows = 0;
  int64_t total_windows = 0;  // of the text
  int64_t scored_tokens = 0;
  double log_likelihood = 0;  // sum of ln p
  double perplexity = 0;
  double standard_error = 0;  // of the perplexity

  // Whether `stop` became true: only the windows before that are counted.
  bool is_part() const { return windows < total_windows; }
};

// Computes perplexity in chunks, as llama.cpp's tool does: the text is cut into windows of
// `context` tokens, each run from an empty cache, and the tokens of its second half are scored.
// With `bos`, the first token of each window is replaced by it. A remainder shorter than a window
// is left out. If `stop` becomes true after the first window, the result is that of the windows so
// far.
absl::StatusOr<PerplexityResult> MeasurePerplexity(
    Session& session, std::span<const int32_t> tokens, int64_t context, std::optional<int32_t> bos,
    const std::function<void(int64_t done, int64_t total, double perplexity)>& progress,
    const std::atomic<bool>* stop);

// Returns ln of the probability of `token` under softmax of the logits, in double precision.
double LogProbability(std::span<const float> logits, int32_t token);

}  // namespace infer
