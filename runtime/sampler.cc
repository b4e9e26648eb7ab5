// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ir/base/advice.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/portable_exp.h"

namespace infer {
namespace {

// The window is scanned once a token, and nothing is gained by looking back further than the
// longest contexts of today's models.
constexpr int32_t kMaxRepeatLastN = 1 << 20;

// Candidates sorted at first for top-p without top-k. Models rarely need more; if not enough, the
// sorted part grows fourfold.
constexpr size_t kFirstSortedTokens = 256;

constexpr float kExcluded = -std::numeric_limits<float>::infinity();

absl::Status BadOption(std::string_view option, double value, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %g, expected %s", ToAbsl(option), value, ToAbsl(expected)));
}

// NaN or +inf. kExcluded is good: a token that must not be chosen.
bool IsBad(float logit) {
  const uint32_t bits = std::bit_cast<uint32_t>(logit);
  return (bits & 0x7f800000u) == 0x7f800000u && bits != 0xff800000u;
}

// Eight running maxima, since one would wait for itself at every step.
float Largest(std::span<const float> logits) {
  constexpr size_t kLanes = 8;
  float lanes[kLanes];
  std::fill(lanes, lanes + kLanes, kExcluded);
  size_t i = 0;
  for (; i + kLanes <= logits.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = logits[i + lane] > lanes[lane] ? logits[i + lane] : lanes[lane];
    }
  }
  for (; i < logits.size(); ++i) lanes[0] = std::max(lanes[0], logits[i]);
  return *std::max_element(lanes, lanes + kLanes);
}

}  // namespace

absl::Status Validate(const SamplerOptions& options) {
  if (!std::isfinite(options.temperature) || options.temperature < 0) {
    return BadOption("temperature", options.temperature, "a number of 0 (greedy) or more");
  }
  if (options.top_k < 0) {
    return BadOption("top_k", options.top_k, "a count of 0 (keep all) or more");
  }
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    return BadOption("top_p", options.top_p, "a number above 0 and at most 1 (keep all)");
  }
  if (!(options.min_p >= 0 && options.min_p < 1)) {
    return BadOption("min_p", options.min_p, "a number from 0 (keep all) to below 1");
  }
  if (!std::isfinite(options.repeat_penalty) || options.repeat_penalty <= 0) {
    return BadOption("repeat_penalty", options.repeat_penalty, "a number above 0 (1 is none)");
  }
  if (!std::isfinite(options.presence_penalty)) {
    return BadOption("presence_penalty", options.presence_penalty, "a finite number (0 is none)");
  }
  if (options.repeat_last_n < 0 || options.repeat_last_n > kMaxRepeatLastN) {
    return BadOption("repeat_last_n", options.repeat_last_n, "a count from 0 to 1048576");
  }
  return absl::OkStatus();
}

absl::StatusOr<Sampler> Sampler::Create(const SamplerOptions& options, int32_t vocabulary_tokens) {
  RETURN_IF_ERROR(Validate(options));
  if (vocabulary_tokens <= 0) {
    return absl::InvalidArgumentError(
        StrCat("sampler: the vocabulary has ", vocabulary_tokens, " tokens, expected 1 or more"));
  }
  return Sampler(options, vocabulary_tokens);
}

Sampler::Sampler(const SamplerOptions& options, int32_t vocabulary_tokens)
    : options_(options),
      vocabulary_tokens_(static_cast<size_t>(vocabulary_tokens)),
      random_(options.seed) {
  const bool penalties = options.repeat_penalty != 1.0 || options.presence_penalty != 0.0;
  if (!penalties) options_.repeat_last_n = 0;
  if (options_.repeat_last_n == 0) return;
  window_.reserve(static_cast<size_t>(options_.repeat_last_n));
  counts_.resize(vocabulary_tokens_);
  penalized_.resize(vocabulary_tokens_);
}

bool Sampler::Before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

absl::StatusOr<SampledToken> Sampler::Sample(std::span<const float> logits) {
  if (logits.size() != vocabulary_tokens_) {
    return absl::InternalError(StrCat("sampler: ", logits.size(), " logits for a vocabulary of ",
                                      vocabulary_tokens_, " tokens"));
  }
  ++steps_;
  RETURN_IF_ERROR(CheckFinite(logits));
  logits = Penalize(logits);
  if (options_.temperature == 0) return ChooseGreedily(logits);
  KeepTopK(logits);
  if (candidates_.empty()) return NothingLeft();
  KeepTopP();
  KeepMinP();
  WeighWithTemperature(options_.temperature);
  return Draw();
}

absl::Status Sampler::CheckFinite(std::span<const float> logits) const {
  // Counted first, without an early exit, so that the loop can be vectorised.
  uint32_t bad = 0;
  for (const float logit : logits) bad += IsBad(logit) ? 1 : 0;
  if (bad == 0) return absl::OkStatus();
  const size_t id = std::find_if(logits.begin(), logits.end(), IsBad) - logits.begin();
  return WithAdvice(
      absl::DataLossError(StrCat("the model produced a non-finite logit (",
                                 std::isnan(logits[id]) ? "nan" : "inf", " for token ", id,
                                 " at step ", steps_, "; ", bad, " of ", logits.size(),
                                 "): damaged weights or an overflow; check the file, or try the "
                                 "policy reference")),
      {Advice::kCheckFile, Advice::kReference});
}

std::span<const float> Sampler::Penalize(std::span<const float> logits) {
  if (window_.empty()) return logits;
  std::copy(logits.begin(), logits.end(), penalized_.begin());
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (const int32_t id : window_) {
    if (id < 0 || counts_[id] < 0) continue;
    counts_[id] = -counts_[id];  // marks it as done; undone below
    double logit = penalized_[id];
    if (std::isinf(logit)) continue;
    logit = logit > 0 ? logit / options_.repeat_penalty : logit * options_.repeat_penalty;
    logit -= options_.presence_penalty;
    penalized_[id] = static_cast<float>(std::clamp(logit, -kLargest, kLargest));
  }
  for (const int32_t id : window_) {
    if (id >= 0) counts_[id] = std::abs(counts_[id]);
  }
  return penalized_;
}

absl::StatusOr<SampledToken> Sampler::ChooseGreedily(std::span<const float> logits) const {
  const float largest = Largest(logits);
  if (largest == kExcluded) return NothingLeft();
  const auto best = std::find(logits.begin(), logits.end(), largest);  // the first of equals
  return SampledToken{static_cast<int32_t>(best - logits.begin()), 1.0};
}

absl::Status Sampler::NothingLeft() const {
  return WithAdvice(
      absl::DataLossError(StrCat("the model rules out every token (all logits are -inf at step ",
                                 steps_, "): nothing can follow; check the file")),
      {Advice::kCheckFile});
}

// One pass over the vocabulary with a buffer: once k are known, only a logit above the smallest of
// them gets in (an equal one has a higher id and loses the tie), and when the buffer is full the
// best k stay. Leaves the kept in order; without a limit, all in order of id.
void Sampler::KeepTopK(std::span<const float> logits) {
  candidates_.clear();
  const bool all = options_.top_k == 0 || static_cast<size_t>(options_.top_k) >= logits.size();
  const size_t k = all ? logits.size() : static_cast<size_t>(options_.top_k);
  const size_t buffer = std::min(logits.size(), std::max<size_t>(2 * k, 1024));
  candidates_.reserve(buffer);
  float threshold = kExcluded;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] > threshold)) continue;
    candidates_.push_back({0.0, logits[id], static_cast<int32_t>(id)});
    if (candidates_.size() < buffer || all) continue;
    std::nth_element(candidates_.begin(), candidates_.begin() + (k - 1), candidates_.end(), Before);
    candidates_.resize(k);
    threshold = candidates_.back().logit;
  }
  if (all) return;
  const size_t kept = std::min(k, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + kept, candidates_.end(), Before);
  candidates_.resize(kept);
}

void Sampler::WeighWithTemperature(double temperature) {
  float largest = candidates_.front().logit;
  for (const Candidate& candidate : candidates_) largest = std::max(largest, candidate.logit);
  for (Candidate& candidate : candidates_) {
    const double below = static_cast<double>(candidate.logit) - static_cast<double>(largest);
    candidate.weight = PortableExp(below / temperature);
  }
}

double Sampler::TotalWeight() const {
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  return total;
}

// Keeps the most probable tokens until their probabilities reach top_p, the one that crosses it
// included.
void Sampler::KeepTopP() {
  if (options_.top_p >= 1.0) return;
  WeighWithTemperature(1.0);
  const double wanted = options_.top_p * TotalWeight();
  double sum = 0.0;
  size_t kept = 0;
  size_t sorted = 0;
  while (kept < candidates_.size() && sum < wanted) {
    if (kept == sorted) {
      sorted = std::min(candidates_.size(), std::max(kFirstSortedTokens, 4 * sorted));
      // Selecting and then sorting is several times faster than partial_sort on large parts.
      const auto begin = candidates_.begin();
      if (sorted < candidates_.size()) {
        std::nth_element(begin + kept, begin + sorted, candidates_.end(), Before);
      }
      std::sort(begin + kept, begin + sorted, Before);
    }
    sum += candidates_[kept++].weight;
  }
  candidates_.resize(kept);
}

// Drops tokens less probable than min_p times the most probable one.
void Sampler::KeepMinP() {
  if (options_.min_p <= 0.0) return;
  WeighWithTemperature(1.0);  // the most probable weighs 1
  std::erase_if(candidates_, [this](const Candidate& c) { return c.weight < options_.min_p; });
}

SampledToken Sampler::Draw() {
  const double total = TotalWeight();
  const double point = random_.NextUnit() * total;
  double sum = 0.0;
  const Candidate* chosen = nullptr;
  for (const Candidate& candidate : candidates_) {
    if (candidate.weight == 0.0) continue;
    chosen = &candidate;  // stays with the last one if rounding keeps the sum below the point
    sum += candidate.weight;
    if (sum > point) break;
  }
  return {chosen->id, chosen->weight / total};
}

void Sampler::Accept(int32_t token) {
  if (options_.repeat_last_n == 0) return;
  if (token < 0 || static_cast<size_t>(token) >= vocabulary_tokens_) token = -1;
  if (window_.size() < static_cast<size_t>(options_.repeat_last_n)) {
    window_.push_back(token);
  } else {
    int32_t& oldest = window_[window_next_];
    if (oldest >= 0) --counts_[oldest];
    oldest = token;
    window_next_ = (window_next_ + 1) % window_.size();
  }
  if (token >= 0) ++counts_[token];
}

}  // namespace infer
