// SPDX-License-Identifier: Apache-2.0
#include "frontends/llama/lower.h"

#include <vector>

#include "frontends/family/decoder_graph.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

constexpr char kFrequencyFactors[] = "rope_freqs.weight";

struct AttentionWeights {
  Value norm, q, k, v, o;
};

AttentionWeights ReadAttention(DecoderGraph& d, const DecoderConfig& c, int64_t layer) {
  const int64_t q_width = c.heads * c.head_dim;
  const int64_t kv_width = c.kv_heads * c.head_dim;
  AttentionWeights w;
  w.norm = d.Vector(layer, "attn_norm", c.hidden);
  w.q = d.Matrix(layer, "attn_q", q_width, c.hidden);
  w.k = d.Matrix(layer, "attn_k", kv_width, c.hidden);
  w.v = d.Matrix(layer, "attn_v", kv_width, c.hidden);
  w.o = d.Matrix(layer, "attn_output", c.hidden, q_width);
  return w;
}

Value Attention(DecoderGraph& d, const DecoderConfig& c, const ops::RopeParams& rope, int64_t layer,
                const AttentionWeights& w, Value x) {
  auto at = [&](std::string_view name) -> GraphBuilder& { return d.In(layer, "attn/", name); };

  Value n = ops::RmsNorm(at("norm"), x, w.norm, c.eps);
  Value q = ops::Linear(at("q_proj"), n, w.q);
  Value k = ops::Linear(at("k_proj"), n, w.k);
  Value v = ops::Linear(at("v_proj"), n, w.v);

  q = ops::Reshape(at("q_heads"), q, {0, c.heads, c.head_dim});
  q = ops::Rope(at("q_rope"), q, d.batch(), rope);
  k = ops::Reshape(at("k_heads"), k, {0, c.kv_heads, c.head_dim});
  k = ops::Rope(at("k_rope"), k, d.batch(), rope);
  return d.Attend(layer, x, q, k, v, w.o);
}

}  // namespace

absl::StatusOr<Graph> LowerLlama(const DecoderConfig& config, const WeightSource& weights,
                                 const LowerOptions& options) {
  DecoderGraph d("llama", config, weights, options);
  Value x = d.Embed();
  ops::RopeParams rope = config.rope;
  // Converters permute the rows of q and k so that the elements of a pair are neighbours.
  rope.adjacent = true;
  std::vector<double> factors;
  if (weights.Find(kFrequencyFactors) != nullptr) {
    factors = d.weights().Numbers(kFrequencyFactors, config.head_dim / 2);
    rope.factors = factors;
  }
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const AttentionWeights attention = ReadAttention(d, config, layer);
    const DecoderGraph::FeedForwardWeights feed_forward = d.ReadFeedForward(layer);
    x = Attention(d, config, rope, layer, attention, x);
    x = d.FeedForward(layer, feed_forward, x);
  }
  return d.Finish(x, "dense Llama");
}

}  // namespace infer
