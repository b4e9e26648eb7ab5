// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampler.h"

#include <algorithm>
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

// Weights that are made and added at a time if nothing is filtered.
constexpr size_t kChunk = 512;

absl::Status BadOption(std::string_view option, double value, std::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s is %g, expected %s", ToAbsl(option), value, ToAbsl(expected)));
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
  LogitSummary row = Summarize(logits);
  if (row.has_bad) return BadLogits(logits);
  if (!window_.empty()) {
    logits = Penalize(logits);
    row = Summarize(logits);
  }
  if (row.largest == kExcludedLogit) return NothingLeft();
  if (options_.temperature == 0) {
    const auto best = std::find(logits.begin(), logits.end(), row.largest);  // the first of equals
    return SampledToken{static_cast<int32_t>(best - logits.begin()), 1.0};
  }
  if (options_.top_k > 0 && static_cast<size_t>(options_.top_k) < logits.size()) {
    KeepTopK(logits);
    if (options_.top_p < 1) KeepTopPOfSorted(row.largest);
  } else if (options_.top_p < 1) {
    KeepTopP(logits, row.largest, options_.top_p, &top_p_, &candidates_);
  } else if (options_.min_p > 0) {
    KeepAboveMinP(logits, row.largest);
  } else {
    return DrawFromAll(logits, row.largest);
  }
  if (options_.min_p > 0) KeepMinP(row.largest);
  Weigh(candidates_, row.largest, options_.temperature);
  return Draw();
}

absl::Status Sampler::BadLogits(std::span<const float> logits) const {
  const auto first = std::find_if(logits.begin(), logits.end(), IsBadLogit);
  return WithAdvice(
      absl::DataLossError(
          StrCat("the model produced a non-finite logit (", std::isnan(*first) ? "nan" : "inf",
                 " for token ", first - logits.begin(), " at step ", steps_, "; ",
                 std::count_if(logits.begin(), logits.end(), IsBadLogit), " of ", logits.size(),
                 "): damaged weights or an overflow; check the file, or try the policy reference")),
      {Advice::kCheckFile, Advice::kReference});
}

absl::Status Sampler::NothingLeft() const {
  return WithAdvice(
      absl::DataLossError(StrCat("the model rules out every token (all logits are -inf at step ",
                                 steps_, "): nothing can follow; check the file")),
      {Advice::kCheckFile});
}

std::span<const float> Sampler::Penalize(std::span<const float> logits) {
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

// One pass over the vocabulary with a buffer: once k are known, only a logit above the smallest of
// them gets in (an equal one has a higher id and loses the tie), and when the buffer is full the
// best k stay. Leaves the kept in order.
void Sampler::KeepTopK(std::span<const float> logits) {
  candidates_.clear();
  const size_t k = static_cast<size_t>(options_.top_k);
  const size_t buffer = std::min(logits.size(), std::max<size_t>(2 * k, 1024));
  candidates_.reserve(buffer);
  float threshold = kExcludedLogit;
  for (size_t id = 0; id < logits.size(); ++id) {
    if (!(logits[id] > threshold)) continue;
    candidates_.push_back({0.0, logits[id], static_cast<int32_t>(id)});
    if (candidates_.size() < buffer) continue;
    std::nth_element(candidates_.begin(), candidates_.begin() + (k - 1), candidates_.end(), Before);
    candidates_.resize(k);
    threshold = candidates_.back().logit;
  }
  const size_t kept = std::min(k, candidates_.size());
  std::partial_sort(candidates_.begin(), candidates_.begin() + kept, candidates_.end(), Before);
  candidates_.resize(kept);
}

// Keeps the most probable tokens until their probabilities reach top_p, the one that crosses it
// included. Probabilities are those among the candidates, which are few and in order.
void Sampler::KeepTopPOfSorted(float largest) {
  Weigh(candidates_, largest, 1.0);
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  const double wanted = options_.top_p * total;
  double sum = 0.0;
  size_t kept = 0;
  while (kept < candidates_.size() && sum < wanted) sum += candidates_[kept++].weight;
  candidates_.resize(kept);
}

// Candidates in order of id for KeepMinP: all that it can keep.
void Sampler::KeepAboveMinP(std::span<const float> logits, float largest) {
  top_p_.tokens.resize(logits.size());
  candidates_.reserve(logits.size());
  const float threshold = LogitBelow(largest, options_.min_p);
  const size_t count = CollectAbove(logits, threshold, top_p_.tokens);
  candidates_.clear();
  for (const TokenLogit& token : std::span(top_p_.tokens).first(count)) {
    candidates_.push_back({0.0, token.logit, token.id});
  }
}

// Drops tokens less probable than min_p times the most probable one, which weighs 1.
void Sampler::KeepMinP(float largest) {
  Weigh(candidates_, largest, 1.0);
  std::erase_if(candidates_, [this](const Candidate& c) { return c.weight < options_.min_p; });
}

SampledToken Sampler::Draw() {
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
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

// The same over the whole row. The sums at the ends of chunks say in which chunk the point lies.
SampledToken Sampler::DrawFromAll(std::span<const float> logits, float largest) {
  weights_.resize(logits.size());
  sums_.resize((logits.size() + kChunk - 1) / kChunk);
  double total = 0.0;
  for (size_t begin = 0; begin < logits.size(); begin += kChunk) {
    const size_t end = std::min(begin + kChunk, logits.size());
    for (size_t id = begin; id < end; ++id) {
      const double below = static_cast<double>(logits[id]) - static_cast<double>(largest);
      weights_[id] = below / options_.temperature;
    }
    PortableExpInPlace({&weights_[begin], end - begin});
    for (size_t id = begin; id < end; ++id) total += weights_[id];
    sums_[begin / kChunk] = total;
  }
  const double point = random_.NextUnit() * total;
  const size_t chunk = std::upper_bound(sums_.begin(), sums_.end(), point) - sums_.begin();
  if (chunk == sums_.size()) {
    // Rounding keeps every sum below the point: the last token that can be chosen is.
    size_t last = logits.size() - 1;
    while (weights_[last] == 0.0) --last;
    return {static_cast<int32_t>(last), weights_[last] / total};
  }
  double sum = chunk == 0 ? 0.0 : sums_[chunk - 1];
  size_t id = chunk * kChunk;
  while (!((sum += weights_[id]) > point)) ++id;
  return {static_cast<int32_t>(id), weights_[id] / total};
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
