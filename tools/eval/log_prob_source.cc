// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/log_prob_source.h"

#include <algorithm>
#include <cmath>

#include "ir/base/strings.h"

namespace infer {

void LogSoftmax(std::span<const float> logits, std::span<float> out) {
  const double max = *std::ranges::max_element(logits);
  double sum = 0;
  for (float logit : logits) sum += std::exp(static_cast<double>(logit) - max);
  const double total = max + std::log(sum);
  std::ranges::transform(logits, out.begin(), [total](float logit) {
    return static_cast<float>(static_cast<double>(logit) - total);
  });
}

absl::Status SessionLogProbs::Append(int64_t, int64_t first, std::span<const int32_t> tokens) {
  if (first == 0) session_.Clear();
  first_ = first;
  return session_.RunWithAllLogits(tokens, stop_);
}

void SessionLogProbs::Row(int64_t token, std::span<float> out) {
  LogSoftmax(session_.logits(token - first_), out);
}

absl::Status FileLogProbs::Append(int64_t window, int64_t first, std::span<const int32_t> tokens) {
  window_ = window;
  const std::span<const int32_t> own = file_.tokens(window).subspan(static_cast<size_t>(first));
  if (own.size() < tokens.size() || !std::ranges::equal(tokens, own.first(tokens.size()))) {
    return absl::InvalidArgumentError(
        StrCat(file_.path(), " has other tokens in window ", window, " from ", first,
               " on; compare files of one text, one window size and one tokenizer"));
  }
  return file_.Check();
}

}  // namespace infer
