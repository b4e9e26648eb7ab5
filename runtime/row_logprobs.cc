// SPDX-License-Identifier: Apache-2.0
#include "runtime/row_logprobs.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/logit_row.h"
#include "runtime/portable_exp.h"

namespace infer {
namespace {

constexpr size_t kExponentials = 256;  // exponentials that are made at a time

double LogSumExp(std::span<const float> logits, float largest) {
  std::array<double, kExponentials> weights;
  double sum = 0;
  for (size_t begin = 0; begin < logits.size(); begin += kExponentials) {
    const size_t count = std::min(kExponentials, logits.size() - begin);
    for (size_t i = 0; i < count; ++i) {
      weights[i] = static_cast<double>(logits[begin + i]) - static_cast<double>(largest);
    }
    PortableExpInPlace({weights.data(), count});
    for (size_t i = 0; i < count; ++i) sum += weights[i];
  }
  return static_cast<double>(largest) + std::log(sum);
}

bool Before(const TokenLogprob& a, const TokenLogprob& b) {
  return a.logprob > b.logprob || (a.logprob == b.logprob && a.id < b.id);
}

// As logits; a heap whose front is the least likely one that is kept.
void KeepLikeliest(std::span<const float> logits, size_t wanted, std::vector<TokenLogprob>* top) {
  top->clear();
  wanted = std::min(wanted, logits.size());
  if (wanted == 0) return;
  for (size_t id = 0; id < logits.size(); ++id) {
    const TokenLogprob token = {static_cast<int32_t>(id), logits[id]};
    if (top->size() == wanted) {
      if (!Before(token, top->front())) continue;
      std::pop_heap(top->begin(), top->end(), Before);
      top->pop_back();
    }
    top->push_back(token);
    std::push_heap(top->begin(), top->end(), Before);
  }
  std::sort_heap(top->begin(), top->end(), Before);
}

}  // namespace

void ComputeLogprobs(std::span<const float> logits, int32_t chosen, RowLogprobs* logprobs) {
  const double total = LogSumExp(logits, Summarize(logits).largest);
  const auto of = [total](float logit) { return static_cast<float>(logit - total); };
  logprobs->chosen = of(logits[static_cast<size_t>(chosen)]);
  KeepLikeliest(logits, static_cast<size_t>(std::max(logprobs->wanted, 0)), &logprobs->top);
  for (TokenLogprob& token : logprobs->top) token.logprob = of(token.logprob);
}

}  // namespace infer
