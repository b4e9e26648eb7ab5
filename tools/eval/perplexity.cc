// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/perplexity.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

struct Sums {
  int64_t count = 0;
  double nll = 0;
  double nll_squared = 0;

  PerplexityResult Result() const {
    PerplexityResult result;
    result.scored_tokens = count;
    result.log_likelihood = -nll;
    if (count == 0) return result;
    double mean = nll / static_cast<double>(count);
    result.perplexity = std::exp(mean);
    if (count > 1) {
      double variance = nll_squared / static_cast<double>(count) - mean * mean;
      result.standard_error =
          result.perplexity * std::sqrt(std::max(variance, 0.0) / static_cast<double>(count - 1));
    }
    return result;
  }
};

// Runs one window in chunks and scores token i + 1 by the logits after token i, starting at
// `first`.
absl::Status ScoreWindow(Session& session, std::span<const int32_t> window, int64_t first,
                         const std::atomic<bool>* stop, Sums* sums) {
  session.Clear();
  int64_t total = static_cast<int64_t>(window.size());
  for (int64_t begin = 0; begin < total; begin += session.max_chunk()) {
    int64_t count = std::min(session.max_chunk(), total - begin);
    RETURN_IF_ERROR(session.RunWithAllLogits(window.subspan(begin, count), stop));
    for (int64_t i = std::max(begin, first); i < std::min(begin + count, total - 1); ++i) {
      double nll = -LogProbability(session.logits(i - begin), window[i + 1]);
      if (!std::isfinite(nll)) {
        return absl::DataLossError(
            StrCat("the model gives a non-finite probability at token ", i + 1, " of a window"));
      }
      sums->nll += nll;
      sums->nll_squared += nll * nll;
      ++sums->count;
    }
  }
  return absl::OkStatus();
}

}  // namespace

double LogProbability(std::span<const float> logits, int32_t token) {
  double max = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit) - max);
  return static_cast<double>(logits[token]) - max - std::log(sum);
}

absl::StatusOr<PerplexityResult> MeasurePerplexity(
    Session& session, std::span<const int32_t> tokens, int64_t context, std::optional<int32_t> bos,
    const std::function<void(int64_t, int64_t, double)>& progress, const std::atomic<bool>* stop) {
  int64_t windows = static_cast<int64_t>(tokens.size()) / context;
  if (windows == 0) {
    return absl::InvalidArgumentError(StrCat("the text has ", tokens.size(),
                                             " tokens, a window takes ", context,
                                             "; give more text or a smaller --ctx"));
  }
  Sums sums;
  for (int64_t w = 0; w < windows; ++w) {
    std::vector<int32_t> window(tokens.begin() + w * context, tokens.begin() + (w + 1) * context);
    if (bos) window[0] = *bos;
    const Sums before = sums;
    const absl::Status scored = ScoreWindow(session, window, context / 2, stop, &sums);
    if (absl::IsCancelled(scored) && w > 0) {
      PerplexityResult result = before.Result();
      result.windows = w;
      result.total_windows = windows;
      return result;
    }
    RETURN_IF_ERROR(scored);
    if (progress) progress(w + 1, windows, sums.Result().perplexity);
  }
  PerplexityResult result = sums.Result();
  result.windows = windows;
  result.total_windows = windows;
  return result;
}

}  // namespace infer
