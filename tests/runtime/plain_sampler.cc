// SPDX-License-Identifier: Apache-2.0
#include "tests/runtime/plain_sampler.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "runtime/portable_exp.h"

namespace infer {
namespace {

struct Token {
  float logit;
  int32_t id;
  double weight = 0;
};

double Weigh(std::vector<Token>& tokens, double temperature) {
  double largest = tokens.front().logit;
  for (const Token& token : tokens) largest = std::max<double>(largest, token.logit);
  double total = 0;
  for (Token& token : tokens) {
    token.weight = PortableExp((token.logit - largest) / temperature);
    total += token.weight;
  }
  return total;
}

void Sort(std::vector<Token>& tokens) {
  std::sort(tokens.begin(), tokens.end(), [](const Token& a, const Token& b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  });
}

}  // namespace

SampledToken SamplePlainly(const SamplerOptions& options, std::span<const float> logits,
                           Random& random) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!std::isinf(logits[i])) tokens.push_back({logits[i], static_cast<int32_t>(i)});
  }
  if (options.top_k > 0 && static_cast<size_t>(options.top_k) < logits.size()) {
    Sort(tokens);
    tokens.resize(std::min(tokens.size(), static_cast<size_t>(options.top_k)));
  }
  if (options.top_p < 1) {
    const double wanted = options.top_p * Weigh(tokens, 1.0);
    Sort(tokens);
    double sum = 0;
    size_t kept = 0;
    while (kept < tokens.size() && sum < wanted) sum += tokens[kept++].weight;
    tokens.resize(kept);
  }
  if (options.min_p > 0) {
    Weigh(tokens, 1.0);
    std::erase_if(tokens, [&](const Token& token) { return token.weight < options.min_p; });
  }
  const double total = Weigh(tokens, options.temperature);
  const double point = random.NextUnit() * total;
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

}  // namespace infer
