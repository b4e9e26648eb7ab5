// SPDX-License-Identifier: Apache-2.0
//
// Top-p over a whole vocabulary, without the exponential of every logit.
//
// The cut is defined by exact weights: with w(i) = PortableExp(logit - largest), `total` is their
// sum in order of id, and the sorted tokens are taken until their sum reaches top_p * total. Most
// of the time goes to tokens that are far behind the cut, so this file decides the same cut with
// less:
//
// 1. A sum of approximate weights bounds `total` from both sides.
// 2. If all n tokens that weigh less than some w0 are left out, at most n * w0 is lost. With w0 =
//    (1 - top_p) * total / n the rest still reaches top_p, so the cut lies among the tokens above
//    w0. Those are fewer, and what the others weigh together is known now, so the same argument
//    gives a larger w0 for them, again and again.
// 3. What is left is sorted, weighed exactly and added in order. The exact weights and the
//    approximate rest together bound `total` much more narrowly. A sum below the lower bound has
//    not reached top_p, one above the upper bound has. Only if a sum falls between the two does
//    the question need the exact total, and with it every exponential.
#include "runtime/top_p.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/portable_exp.h"

namespace infer {
namespace {

constexpr size_t kChunk = 256;  // on the stack while a function is computed for each element

// This many are sorted and weighed in less time than another round takes.
constexpr size_t kFewContenders = 256;

// Relative error of adding this many numbers of one sign in any order, and a few operations more.
double SumError(size_t count) {
  return (static_cast<double>(count) + 16) * 2 * std::numeric_limits<double>::epsilon();
}

double ApproximateWeightOf(std::span<const TokenLogit> tokens, float largest) {
  std::array<float, kChunk> logits;
  double total = 0;
  for (size_t begin = 0; begin < tokens.size(); begin += kChunk) {
    const size_t count = std::min(kChunk, tokens.size() - begin);
    for (size_t i = 0; i < count; ++i) logits[i] = tokens[begin + i].logit;
    total += ApproximateWeight({logits.data(), count}, largest);
  }
  return total;
}

// Largest error of an approximate weight of this many tokens. A token that is x below the largest
// weighs w = e^-x, so its error grows with w * x = -w * ln(w); the sum of that over `count` tokens
// that weigh `rest` together is largest if all weigh the same: rest * ln(count / rest).
double RestError(double rest, size_t count) {
  const double tokens = static_cast<double>(count);
  const double tiny = tokens * kTinyWeight;
  if (rest <= tiny) return 2 * tiny;
  const double below = std::max(0.0, std::log(tokens / rest));
  return rest * WeightError(below) * 1.001 + 2 * tiny;
}

// Moves the tokens above the threshold to the front and returns how many they are.
size_t KeepAbove(float threshold, std::span<TokenLogit> tokens) {
  size_t count = 0;
  for (const TokenLogit token : tokens) {
    tokens[count] = token;
    count += token.logit > threshold ? 1 : 0;
  }
  return count;
}

// Tokens among which the cut lies, in order of id, and the approximate weight of all others.
struct Contenders {
  std::span<TokenLogit> tokens;
  double rest = 0;
};

Contenders FindContenders(std::span<const float> logits, float largest, double top_p,
                          std::span<TokenLogit> memory) {
  const double total = ApproximateWeight(logits, largest);
  // What may be lost, less more than all errors of the sums that it is compared with.
  const double budget = ((1 - top_p) * (1 - 4 * WeightError(87)) - SumError(logits.size())) * total;
  const auto threshold = [&](double rest, size_t tokens) {
    const double weight = (budget - rest) / static_cast<double>(tokens);
    return weight > 0 ? LogitBelow(largest, weight) : kExcludedLogit;
  };
  Contenders found;
  const auto take = [&](size_t count) {
    found.tokens = memory.first(count);
    found.rest = std::max(0.0, total - ApproximateWeightOf(found.tokens, largest));
  };
  size_t before = logits.size();
  // A guess that leaves fewer to work on: few tokens weigh nearly as much as they may. What the
  // others weigh shows whether it was right.
  take(CollectAbove(logits, threshold(0, std::max<size_t>(1, before / 16)), memory));
  if (found.rest > budget) take(CollectAbove(logits, threshold(0, before), memory));
  // Another round pays as long as the last one took a good part away.
  while (found.tokens.size() >= kFewContenders && found.tokens.size() <= before / 4 * 3) {
    before = found.tokens.size();
    take(KeepAbove(threshold(found.rest, before), found.tokens));
  }
  return found;
}

void WeighSorted(std::span<const TokenLogit> tokens, float largest, std::vector<Candidate>* kept) {
  kept->clear();
  for (const TokenLogit& token : tokens) kept->push_back({0.0, token.logit, token.id});
  Weigh(*kept, largest, 1.0);
}

// How many are needed until their sum reaches a number between `low` and `high`; 0 if that depends
// on the number, or if all of them do not reach it.
size_t CountUntil(std::span<const Candidate> sorted, double low, double high) {
  double sum = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    sum += sorted[i].weight;
    if (sum >= high) return i + 1;
    if (sum >= low) return 0;
  }
  return 0;
}

}  // namespace

float LogitBelow(float largest, double weight) {
  const double logit = static_cast<double>(largest) + std::log(weight) - 1e-6;
  return std::nextafter(static_cast<float>(logit), kExcludedLogit);
}

void Weigh(std::span<Candidate> candidates, float largest, double temperature) {
  std::array<double, kChunk> weights;
  for (size_t begin = 0; begin < candidates.size(); begin += kChunk) {
    const std::span<Candidate> chunk =
        candidates.subspan(begin, std::min(kChunk, candidates.size() - begin));
    for (size_t i = 0; i < chunk.size(); ++i) {
      const double below = static_cast<double>(chunk[i].logit) - static_cast<double>(largest);
      weights[i] = below / temperature;
    }
    PortableExpInPlace({weights.data(), chunk.size()});
    for (size_t i = 0; i < chunk.size(); ++i) chunk[i].weight = weights[i];
  }
}

void KeepTopP(std::span<const float> logits, float largest, double top_p, TopPBuffers* buffers,
              std::vector<Candidate>* kept) {
  buffers->tokens.resize(logits.size());
  buffers->scratch.resize(logits.size());
  kept->reserve(logits.size());
  const Contenders found = FindContenders(logits, largest, top_p, buffers->tokens);
  WeighSorted(SortByLogit(found.tokens, buffers->scratch), largest, kept);

  double head = 0;
  for (const Candidate& candidate : *kept) head += candidate.weight;
  const double rest_error = RestError(found.rest, logits.size());
  const double sum_error = 4 * SumError(logits.size());
  const double low = (head + found.rest - rest_error) * (1 - sum_error);
  const double high = (head + found.rest + rest_error) * (1 + sum_error);
  size_t count = CountUntil(*kept, top_p * low, top_p * high);
  if (count == 0) {
    const double wanted = top_p * ExactWeight(logits, largest);
    count = CountUntil(*kept, wanted, wanted);
    if (count == 0) {
      // Rounding alone keeps the contenders below what is wanted: every token may be needed.
      const size_t all = CollectAbove(logits, kExcludedLogit, buffers->tokens);
      const std::span<TokenLogit> tokens = std::span(buffers->tokens).first(all);
      WeighSorted(SortByLogit(tokens, buffers->scratch), largest, kept);
      count = CountUntil(*kept, wanted, wanted);
      if (count == 0) count = all;
    }
  }
  kept->resize(count);
}

}  // namespace infer
