// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/least_work.h"

#include <algorithm>

namespace infer {
namespace {

const Graph& GraphFor(const Program& program, int64_t tokens) {
  for (const Regime& regime : program.regimes) {
    if (tokens <= regime.max_tokens) return regime.graph;
  }
  return program.regimes.back().graph;
}

double CacheBytes(const Program& program, int64_t entries) {
  double bytes = 0;
  for (const State& state : program.states) {
    bytes += 2.0 * static_cast<double>(state.kv_heads * state.head_dim * entries) *
             BytesPerElement(state.dtype);
  }
  return bytes;
}

}  // namespace

LeastWork LeastWorkOfCall(const Program& program, int64_t tokens, int64_t depth) {
  LeastWork work;
  const SymbolValues symbols{tokens, 1, depth + tokens};
  for (const Node* node : GraphFor(program, tokens).nodes()) {
    if (node->op().traits.index_input >= 0) continue;  // reads single rows only
    for (const Value& input : node->inputs()) {
      const ValueType& type = input.type();
      if (!input.node->op().traits.weight || type.rank() != 2) continue;
      const double elements = static_cast<double>(type.dim(0).value() * type.dim(1).value());
      const ValueType* rows = RowsType(*node);
      const int64_t row_count = rows == nullptr ? 1 : rows->dim(0).At(symbols);
      work.linear_flops += 2 * elements * static_cast<double>(row_count);
      work.bytes += static_cast<double>(BytesAt(type.tensor, symbols).value_or(0));
    }
  }
  work.bytes += CacheBytes(program, depth + tokens);
  return work;
}

LeastWork LeastWorkOfTest(const Program& program, int64_t prompt, int64_t generated, int64_t depth,
                          int64_t chunk) {
  LeastWork work;
  for (int64_t done = 0; done < prompt; done += chunk) {
    work += LeastWorkOfCall(program, std::min(chunk, prompt - done), depth + done);
  }
  if (generated == 0) return work;
  // Only the cache grows, by the same amount each time, so the mean is the mean of both ends.
  const LeastWork first = LeastWorkOfCall(program, 1, depth + prompt);
  const LeastWork last = LeastWorkOfCall(program, 1, depth + prompt + generated - 1);
  const double count = static_cast<double>(generated);
  work.linear_flops += first.linear_flops * count;
  work.bytes += (first.bytes + last.bytes) / 2 * count;
  return work;
}

}  // namespace infer
