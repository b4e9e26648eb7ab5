// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/plain_sampler.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "runtime/portable_exp.h"
#include "runtime/row_sampler.h"

namespace infer {
namespace {

struct Token {
  float logit;
  int32_t id;
  double weight = 0;
};

void Sort(std::vector<Token>& tokens) {
  std::sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  });
}

void RemoveExcluded(std::vector<Token>& tokens) {
  std::erase_if(tokens, [](const Token& token) { return std::isinf(token.logit); });
}

// Among the top k: exact exponentials, added in order.
double Weigh(std::vector<Token>& tokens, double temperature) {
  double total = 0;
  for (Token& token : tokens) {
    const double below = static_cast<double>(token.logit) - tokens.front().logit;
    token.weight = PortableExp(below / temperature);
    total += token.weight;
  }
  return total;
}

void KeepTopP(std::vector<Token>& sorted, double wanted) {
  double sum = 0;
  size_t kept = 0;
  while (kept < sorted.size() && sum < wanted) sum += sorted[kept++].weight;
  sorted.resize(kept);
}

SampledToken SampleTopK(const SamplerOptions& options, std::vector<Token> tokens, double unit) {
  tokens.resize(std::min(tokens.size(), static_cast<size_t>(options.top_k)));
  if (options.top_p < 1) KeepTopP(tokens, options.top_p * Weigh(tokens, 1.0));
  if (options.min_p > 0) {
    Weigh(tokens, 1.0);
    std::erase_if(tokens, [&](const Token& token) { return token.weight < options.min_p; });
  }
  const double total = Weigh(tokens, options.temperature);
  const double point = unit * total;
  double sum = 0;
  Token chosen = {};
  for (const Token& token : tokens) {
    if (token.weight == 0) continue;
    chosen = token;
    sum += token.weight;
    if (sum > point) break;
  }
  return {chosen.id, chosen.weight / total};
}

const WeightCurve& CurveFor(double halvings) {
  static std::map<double, WeightCurve> curves;
  return curves.try_emplace(halvings, halvings).first->second;
}

// The sums of a whole vocabulary: after each of the sorted tokens, what those of the earlier
// buckets weigh and, as one term, those of its own so far.
std::vector<double> SumsOf(std::vector<Token>& sorted, float octaves_per_logit, double halvings) {
  const WeightCurve& curve = CurveFor(halvings);
  std::vector<double> sums;
  double earlier = 0;
  uint32_t bucket = 0;
  BucketTokens tokens;
  for (Token& token : sorted) {
    const uint32_t distance = DistanceBelow(sorted.front().logit, token.logit, octaves_per_logit);
    token.weight = curve.Of(distance);
    if (distance / kBucketDistances != bucket) {
      earlier += curve.Sum(bucket, tokens);
      bucket = distance / kBucketDistances;
      tokens = {};
    }
    tokens.Add(distance);
    sums.push_back(earlier + curve.Sum(bucket, tokens));
  }
  return sums;
}

SampledToken SampleRow(const SamplerOptions& options, std::vector<Token> tokens, double unit) {
  const RowScales scales = ScalesFor({options.temperature, options.top_p, options.min_p});
  std::vector<double> sums = SumsOf(tokens, scales.filter_octaves, scales.filter_halvings);
  size_t kept = tokens.size();
  if (options.top_p < 1) {
    kept = 0;
    while (sums[kept++] < options.top_p * sums.back()) continue;
  }
  while (tokens[kept - 1].weight < options.min_p) --kept;
  tokens.resize(kept);
  sums = SumsOf(tokens, scales.draw_octaves, scales.draw_halvings);
  const double point = unit * sums.back();
  Token chosen = {};
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].weight == 0) break;
    chosen = tokens[i];
    if (sums[i] > point) break;
  }
  return {chosen.id, chosen.weight / sums.back()};
}

}  // namespace

SampledToken SamplePlainly(const SamplerOptions& options, std::span<const float> logits,
                           Random& random) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < logits.size(); ++i) tokens.push_back({logits[i], static_cast<int32_t>(i)});
  RemoveExcluded(tokens);
  Sort(tokens);
  const double unit = random.NextUnit();
  const bool has_top_k = options.top_k > 0 && static_cast<size_t>(options.top_k) < logits.size();
  return has_top_k ? SampleTopK(options, std::move(tokens), unit)
                   : SampleRow(options, std::move(tokens), unit);
}

}  // namespace infer
