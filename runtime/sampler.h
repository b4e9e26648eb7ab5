// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/random.h"
#include "runtime/row_sampler.h"
#include "runtime/token_constraint.h"

namespace infer {

// Added to a token's logit before everything else.
struct LogitBias {
  int32_t id = 0;
  float bias = 0;  // finite
};
inline constexpr size_t kMaxLogitBiases = 1024;

// The largest logits of a row and their tokens, in the order in which a sampler ranks them: larger
// logits first, equal ones by lower id, and NaN before everything.
struct TopLogits {
  std::span<const int32_t> ids;
  std::span<const float> logits;  // as many
};

struct SamplerOptions {
  double temperature = 0.6;       // 0 is greedy
  int32_t top_k = 20;             // 0 keeps all
  double top_p = 0.95;            // 1 keeps all
  double min_p = 0.0;             // 0 keeps all
  double repeat_penalty = 1.0;    // 1 is none
  double presence_penalty = 0.0;  // 0 is none
  int32_t repeat_last_n = 64;     // tokens the penalties look back; 0 is none
  uint64_t seed = 0;
  double frequency_penalty = 0.0;          // times the occurrences of the token; 0 is none
  std::vector<LogitBias> logit_bias = {};  // a token that occurs twice gets the sum
};

// Returns kInvalidArgument naming the option, its value and the allowed range.
absl::Status Validate(const SamplerOptions& options);

// Chooses the next token from a row of logits. One per sequence, owned by its session; not shared
// between threads. Allocates when made, and never after it has seen its first row.
//
// Stages, in llama.cpp's default order, so that the same flags mean the same there and here:
// logit bias, repetition, frequency and presence penalty, top-k, top-p, min-p, temperature, draw.
// Top-p and min-p thus see the model's own probabilities: raising the temperature flattens what was
// kept and lets no token in that the filters had cut.
//
// The same seed, options and logits give the same tokens on every platform: own generator, own exp,
// sums in doubles in a fixed order or of integers, equal logits ordered by lower token id.
// Probabilities among the top k are exact to the last digits of a double. Those of a whole
// vocabulary are right to 1 in 100,000, and a token that the model gives less than 2^-31 of the
// probability of the likeliest one may not be drawn (see weight_histogram.h).
class Sampler {
 public:
  // Rows have `row_tokens` logits, of which only the first `choosable` are looked at; 0: all. The
  // others belong to no token.
  static absl::StatusOr<Sampler> Create(const SamplerOptions& options, int32_t row_tokens,
                                        int32_t choosable = 0);

  // Does not remember the token: call Accept with what is really appended to the text.
  // -inf marks a token that must not be chosen. NaN, +inf, or no token left is kDataLoss: the text
  // must end there and not go on with a meaningless token.
  //
  // With a constraint, chooses among the tokens that it allows, as if the logits of the others were
  // -inf. With top-k or greedily it asks for the likeliest tokens one by one until enough are
  // allowed, and for all at once after kMaxRefusals: where that many are refused few are allowed,
  // and a mask costs less than finding them one by one.
  absl::StatusOr<SampledToken> Sample(std::span<const float> logits,
                                      const TokenConstraint* constraint = nullptr);
  static constexpr size_t kMaxRefusals = 32;

  // Returns the token that Sample would choose from the whole row, or nothing, with this sampler
  // unchanged, if the largest logits do not tell.
  std::optional<SampledToken> SampleTop(const TopLogits& top,
                                        const TokenConstraint* constraint = nullptr);
  // Why SampleTop never returns a token if it is given this many of the largest logits; empty if it
  // usually does.
  std::string_view WhyWholeRows(int64_t largest) const;

  // A token of the text, prompt or generated, for the penalties. Ids outside the vocabulary cannot
  // be penalised and only take their place in the window.
  void Accept(int32_t token);

 private:
  Sampler(const SamplerOptions& options, int32_t row_tokens, int32_t choosable);

  // A token among the top k.
  struct Candidate {
    double weight;  // proportional to its probability
    float logit;
    int32_t id;
  };
  static bool Before(const Candidate& a, const Candidate& b);

  bool HasTopK() const;
  absl::Status BadLogits(std::span<const float> logits) const;
  absl::Status NothingLeft(bool is_constrained) const;
  size_t WantedCandidates() const;
  bool KeepAllowed(std::span<const float> logits, const TokenConstraint& constraint);
  SampledToken SampleCandidates();
  std::span<const float> Adjust(std::span<const float> logits, float* largest);
  void AddBias(float* largest);
  void Penalize(float* largest);
  float Penalized(float logit, int32_t count) const;
  void KeepTopK(std::span<const float> logits, size_t k);
  void Weigh(float largest, double temperature);
  void KeepTopP(float largest);
  void KeepMinP(float largest);
  SampledToken Draw();

  SamplerOptions options_;
  size_t row_tokens_;
  size_t vocabulary_tokens_;  // those that may be chosen
  Random random_;
  int64_t steps_ = 0;
  std::vector<int32_t> window_;            // ring of the last repeat_last_n tokens
  size_t window_next_ = 0;                 // where the next one goes
  std::vector<int32_t> counts_;            // [vocabulary] how often each is in window_
  std::vector<float> adjusted_;            // [vocabulary] copy of the logits, if they are changed
  std::vector<float> allowed_;             // [vocabulary] copy of the logits, if it was needed
  std::vector<Candidate> candidates_;      // if there is a top-k
  std::optional<RowSampler> row_sampler_;  // if there is none
};

}  // namespace infer
