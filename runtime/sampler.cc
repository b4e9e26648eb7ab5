// SPDX-License-Identifier: Apache-2.0
#include "runtime/sampler.h"

#include <algorithm>
#include <array>
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

// Exponentials that are made at a time.
constexpr size_t kChunk = 64;

// The nearest finite logit.
float Finite(double logit) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  return static_cast<float>(std::clamp(logit, -kLargest, kLargest));
}

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
  if (!std::isfinite(options.frequency_penalty)) {
    return BadOption("frequency_penalty", options.frequency_penalty, "a finite number (0 is none)");
  }
  if (options.logit_bias.size() > kMaxLogitBiases) {
    return absl::InvalidArgumentError(StrCat("logit_bias has ", options.logit_bias.size(),
                                             " entries, at most ", kMaxLogitBiases,
                                             " are allowed"));
  }
  for (const LogitBias& entry : options.logit_bias) {
    if (!std::isfinite(entry.bias)) {
      return BadOption(StrCat("logit_bias of token ", entry.id), entry.bias, "a finite number");
    }
  }
  if (options.repeat_last_n < 0 || options.repeat_last_n > kMaxRepeatLastN) {
    return BadOption("repeat_last_n", options.repeat_last_n, "a count from 0 to 1048576");
  }
  return absl::OkStatus();
}

absl::StatusOr<Sampler> Sampler::Create(const SamplerOptions& options, int32_t row_tokens,
                                        int32_t choosable) {
  RETURN_IF_ERROR(Validate(options));
  if (row_tokens <= 0 || choosable < 0 || choosable > row_tokens) {
    return absl::InvalidArgumentError(StrCat("sampler: ", choosable, " of ", row_tokens,
                                             " tokens may be chosen, expected 1 or more"));
  }
  if (choosable == 0) choosable = row_tokens;
  for (const LogitBias& entry : options.logit_bias) {
    if (entry.id >= 0 && entry.id < choosable) continue;
    return absl::InvalidArgumentError(
        StrCat("logit_bias names token ", entry.id, ", expected 0 to ", choosable - 1));
  }
  return Sampler(options, row_tokens, choosable);
}

Sampler::Sampler(const SamplerOptions& options, int32_t row_tokens, int32_t choosable)
    : options_(options),
      row_tokens_(static_cast<size_t>(row_tokens)),
      vocabulary_tokens_(static_cast<size_t>(choosable)),
      random_(options.seed) {
  if (options.temperature > 0 && !HasTopK()) {
    row_sampler_.emplace(RowFilters{options.temperature, options.top_p, options.min_p},
                         vocabulary_tokens_);
  }
  const bool penalties = options.repeat_penalty != 1.0 || options.presence_penalty != 0.0 ||
                         options.frequency_penalty != 0.0;
  if (!penalties) options_.repeat_last_n = 0;
  if (options_.repeat_last_n > 0) {
    window_.reserve(static_cast<size_t>(options_.repeat_last_n));
    counts_.resize(vocabulary_tokens_);
  }
  if (options_.repeat_last_n > 0 || !options_.logit_bias.empty()) {
    adjusted_.resize(vocabulary_tokens_);
  }
}

bool Sampler::HasTopK() const {
  return options_.top_k > 0 && static_cast<size_t>(options_.top_k) < vocabulary_tokens_;
}

bool Sampler::Before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.id < b.id);
}

absl::StatusOr<SampledToken> Sampler::Sample(std::span<const float> logits,
                                             const TokenConstraint* constraint) {
  if (logits.size() != row_tokens_) {
    return absl::InternalError(
        StrCat("sampler: ", logits.size(), " logits for ", row_tokens_, " rows of tokens"));
  }
  logits = logits.first(vocabulary_tokens_);
  ++steps_;
  LogitSummary row = Summarize(logits);
  if (row.has_bad) return BadLogits(logits);
  if (!window_.empty() || !options_.logit_bias.empty()) logits = Adjust(logits, &row.largest);
  if (constraint != nullptr) {
    if (WantedCandidates() > 0 && KeepAllowed(logits, *constraint)) {
      if (candidates_.empty()) return NothingLeft(true);
      return SampleCandidates();
    }
    allowed_.assign(logits.begin(), logits.end());
    constraint->Refuse(allowed_);
    logits = allowed_;
    row.largest = Summarize(logits).largest;
  }
  if (row.largest == kExcludedLogit) return NothingLeft(constraint != nullptr);
  if (options_.temperature == 0) {
    const auto best = std::find(logits.begin(), logits.end(), row.largest);  // the first of equals
    return SampledToken{static_cast<int32_t>(best - logits.begin()), 1.0};
  }
  if (row_sampler_) return row_sampler_->Sample(logits, row.largest, random_.NextUnit());
  KeepTopK(logits, WantedCandidates());
  return SampleCandidates();
}

std::string_view Sampler::WhyWholeRows(int64_t largest) const {
  if (!options_.logit_bias.empty()) return "logit_bias may raise any token";
  if (options_.repeat_last_n > 0) return "penalties may raise any token";
  const size_t wanted = WantedCandidates();
  if (wanted == 0) return "there is no top-k";
  if (wanted > static_cast<size_t>(largest)) return "top-k is too large";
  return "";
}

std::optional<SampledToken> Sampler::SampleTop(const TopLogits& top,
                                               const TokenConstraint* constraint) {
  if (!WhyWholeRows(std::ssize(top.ids)).empty()) return std::nullopt;
  const size_t wanted = WantedCandidates();
  candidates_.clear();
  candidates_.reserve(wanted);
  bool are_all = top.ids.size() == row_tokens_;
  for (size_t i = 0; i < top.ids.size() && candidates_.size() < wanted; ++i) {
    const int32_t id = top.ids[i];
    if (static_cast<size_t>(id) >= vocabulary_tokens_) continue;
    if (IsBadLogit(top.logits[i])) return std::nullopt;  // Sample says which, and how many are
    are_all = are_all || top.logits[i] == kExcludedLogit;
    if (top.logits[i] == kExcludedLogit) break;
    if (constraint != nullptr && !constraint->Allows(id)) continue;
    candidates_.push_back({0.0, top.logits[i], id});
  }
  if (candidates_.empty() || (candidates_.size() < wanted && !are_all)) return std::nullopt;
  ++steps_;
  return SampleCandidates();
}

// How many of the likeliest tokens are enough to choose from; 0 if all are needed.
size_t Sampler::WantedCandidates() const {
  if (options_.temperature == 0) return 1;
  return HasTopK() ? static_cast<size_t>(options_.top_k) : 0;
}

// Keeps the first allowed tokens in order of their logits: those that refusing all others and then
// keeping the top k would leave. Returns false if too many were refused on the way.
bool Sampler::KeepAllowed(std::span<const float> logits, const TokenConstraint& constraint) {
  const size_t wanted = WantedCandidates();
  KeepTopK(logits, wanted + kMaxRefusals);
  const bool are_all = candidates_.size() < wanted + kMaxRefusals;
  size_t kept = 0;
  for (size_t i = 0; i < candidates_.size() && kept < wanted; ++i) {
    if (constraint.Allows(candidates_[i].id)) candidates_[kept++] = candidates_[i];
  }
  candidates_.resize(kept);
  return kept == wanted || are_all;
}

// Of the candidates, which are in order.
SampledToken Sampler::SampleCandidates() {
  const float largest = candidates_[0].logit;
  if (options_.temperature == 0) return {candidates_[0].id, 1.0};
  if (options_.top_p < 1) KeepTopP(largest);
  if (options_.min_p > 0) KeepMinP(largest);
  Weigh(largest, options_.temperature);
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

absl::Status Sampler::NothingLeft(bool is_constrained) const {
  if (is_constrained) {
    return absl::DataLossError(
        StrCat("the grammar allows none of the model's tokens at step ", steps_,
               ": the text has reached its limits on depth or ambiguity; simplify the grammar"));
  }
  return WithAdvice(
      absl::DataLossError(StrCat("the model rules out every token (all logits are -inf at step ",
                                 steps_, "): nothing can follow; check the file")),
      {Advice::kCheckFile});
}

// A copy of the row with changed logits. `largest` is the row's, and then that of the copy.
std::span<const float> Sampler::Adjust(std::span<const float> logits, float* largest) {
  std::copy(logits.begin(), logits.end(), adjusted_.begin());
  if (!options_.logit_bias.empty()) AddBias(largest);
  if (!window_.empty()) Penalize(largest);
  return adjusted_;
}

void Sampler::AddBias(float* largest) {
  for (const LogitBias& entry : options_.logit_bias) {
    float& logit = adjusted_[static_cast<size_t>(entry.id)];
    if (!std::isinf(logit)) logit = Finite(static_cast<double>(logit) + entry.bias);
  }
  *largest = Summarize(adjusted_).largest;
}

// The largest is looked for again only if it is one of those that changed.
void Sampler::Penalize(float* largest) {
  bool largest_changed = false;
  float changed_to = kExcludedLogit;
  for (const int32_t id : window_) {
    if (id < 0 || counts_[id] < 0) continue;
    float& logit = adjusted_[id];
    largest_changed = largest_changed || logit == *largest;
    logit = Penalized(logit, counts_[id]);
    changed_to = std::max(changed_to, logit);
    counts_[id] = -counts_[id];  // marks it as done; undone below
  }
  for (const int32_t id : window_) {
    if (id >= 0) counts_[id] = std::abs(counts_[id]);
  }
  *largest = largest_changed ? Summarize(adjusted_).largest : std::max(*largest, changed_to);
}

float Sampler::Penalized(float logit, int32_t count) const {
  if (std::isinf(logit)) return logit;
  double changed = logit;
  changed = changed > 0 ? changed / options_.repeat_penalty : changed * options_.repeat_penalty;
  changed -= count * options_.frequency_penalty;
  changed -= options_.presence_penalty;
  return Finite(changed);
}

// One pass over the vocabulary with a buffer: once k are known, only a logit above the smallest of
// them gets in (an equal one has a higher id and loses the tie), and when the buffer is full the
// best k stay. Leaves the kept in order.
void Sampler::KeepTopK(std::span<const float> logits, size_t k) {
  candidates_.clear();
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

// weight = PortableExp((logit - largest) / temperature).
void Sampler::Weigh(float largest, double temperature) {
  std::array<double, kChunk> weights;
  for (size_t begin = 0; begin < candidates_.size(); begin += kChunk) {
    const size_t count = std::min(kChunk, candidates_.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      const double below =
          static_cast<double>(candidates_[begin + i].logit) - static_cast<double>(largest);
      weights[i] = below / temperature;
    }
    PortableExpInPlace({weights.data(), count});
    for (size_t i = 0; i < count; ++i) candidates_[begin + i].weight = weights[i];
  }
}

// Keeps the most probable tokens until their probabilities reach top_p, the one that crosses it
// included. Probabilities are those among the candidates, which are few and in order.
void Sampler::KeepTopP(float largest) {
  Weigh(largest, 1.0);
  double total = 0.0;
  for (const Candidate& candidate : candidates_) total += candidate.weight;
  const double wanted = options_.top_p * total;
  double sum = 0.0;
  size_t kept = 0;
  while (kept < candidates_.size() && sum < wanted) sum += candidates_[kept++].weight;
  candidates_.resize(kept);
}

// Drops tokens less probable than min_p times the most probable one, which weighs 1.
void Sampler::KeepMinP(float largest) {
  Weigh(largest, 1.0);
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
