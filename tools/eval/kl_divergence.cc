// SPDX-License-Identifier: Apache-2.0
#include "tools/eval/kl_divergence.h"

#include <algorithm>
#include <cmath>

#include "ir/base/status_macros.h"

namespace infer {
namespace {

// Files hold nothing below e^-16 of the likeliest token; they say that instead. Leaving out what is
// below e^-16 treats files and models alike. With q - p added, which is 0 over the whole
// vocabulary, no term is negative, so that the tokens left out cannot make the rest look better
// than it is.
constexpr double kLeastLogProb = -16;

}  // namespace

absl::Status KlDivergence::AddWindow(int64_t number, std::span<const int32_t> window, int64_t chunk,
                                     LogProbSource& base, LogProbSource& other) {
  const auto total = static_cast<int64_t>(window.size());
  for (int64_t begin = 0; begin < total; begin += chunk) {
    const int64_t end = std::min(begin + chunk, total);
    const std::span<const int32_t> tokens = window.subspan(begin, end - begin);
    RETURN_IF_ERROR(base.Append(number, begin, tokens));
    RETURN_IF_ERROR(other.Append(number, begin, tokens));
    for (int64_t i = std::max(begin, total / 2); i < std::min(end, total - 1); ++i) {
      base.Row(i, base_row_);
      other.Row(i, other_row_);
      Add(base_row_, other_row_);
    }
  }
  return absl::OkStatus();
}

void KlDivergence::Add(std::span<const float> base, std::span<const float> other) {
  double sum = 0;
  for (size_t i = 0; i < base.size(); ++i) {
    const double ln_p = base[i], ln_q = other[i];
    if (ln_p <= kLeastLogProb) continue;
    const double p = std::exp(ln_p);
    sum += p * (ln_p - ln_q) - p + std::exp(ln_q);
  }
  values_.push_back(sum);
  same_top_ += std::ranges::max_element(base) - base.begin() ==
               std::ranges::max_element(other) - other.begin();
}

KlResult KlDivergence::Result() const {
  KlResult result;
  result.tokens = static_cast<int64_t>(values_.size());
  if (values_.empty()) return result;
  std::vector<double> sorted = values_;
  std::ranges::sort(sorted);
  const auto count = static_cast<double>(sorted.size());
  double sum = 0, squares = 0;
  for (double value : sorted) {
    sum += value;
    squares += value * value;
  }
  // Between two values, as other tools interpolate it.
  auto at = [&](double share) {
    const double place = share * (count - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
  };
  result.mean = sum / count;
  if (count > 1) {
    const double variance = std::max(squares / count - result.mean * result.mean, 0.0);
    result.standard_error = std::sqrt(variance / (count - 1));
  }
  result.median = at(0.5);
  result.percentile_99 = at(0.99);
  result.percentile_999 = at(0.999);
  result.max = sorted.back();
  result.same_top = static_cast<double>(same_top_) / count;
  return result;
}

}  // namespace infer
