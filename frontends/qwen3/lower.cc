// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/lower.h"

#include "frontends/family/decoder_graph.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

struct AttentionWeights {
  Value norm, q, k, v, q_norm, k_norm, o;
};

AttentionWeights ReadAttention(DecoderGraph& d, const Qwen3Config& c, int64_t layer) {
  const int64_t q_width = c.heads * c.head_dim;
  const int64_t kv_width = c.kv_heads * c.head_dim;
  AttentionWeights w;
  w.norm = d.Vector(layer, "attn_norm", c.hidden);
  w.q = d.Matrix(layer, "attn_q", q_width, c.hidden);
  w.k = d.Matrix(layer, "attn_k", kv_width, c.hidden);
  w.v = d.Matrix(layer, "attn_v", kv_width, c.hidden);
  w.q_norm = d.Vector(layer, "attn_q_norm", c.head_dim);
  w.k_norm = d.Vector(layer, "attn_k_norm", c.head_dim);
  w.o = d.Matrix(layer, "attn_output", c.hidden, q_width);
  return w;
}

Value Attention(DecoderGraph& d, const Qwen3Config& c, int64_t layer, const AttentionWeights& w,
                Value x) {
  auto at = [&](std::string_view name) -> GraphBuilder& { return d.In(layer, "attn/", name); };

  Value n = ops::RmsNorm(at("norm"), x, w.norm, c.eps);
  Value q = ops::Linear(at("q_proj"), n, w.q);
  Value k = ops::Linear(at("k_proj"), n, w.k);
  Value v = ops::Linear(at("v_proj"), n, w.v);

  q = ops::Reshape(at("q_heads"), q, {0, c.heads, c.head_dim});
  q = ops::RmsNorm(at("q_norm"), q, w.q_norm, c.eps);
  q = ops::Rope(at("q_rope"), q, d.batch(), c.rope);
  k = ops::Reshape(at("k_heads"), k, {0, c.kv_heads, c.head_dim});
  k = ops::RmsNorm(at("k_norm"), k, w.k_norm, c.eps);
  k = ops::Rope(at("k_rope"), k, d.batch(), c.rope);
  return d.Attend(layer, x, q, k, v, w.o);
}

struct ExpertWeights {
  Value norm, router, gate, up, down;
};

ExpertWeights ReadExperts(DecoderGraph& d, const Qwen3Config& c, const Qwen3Experts& experts,
                          int64_t layer) {
  auto matrices = [&](std::string_view tensor, int64_t rows, int64_t columns) {
    return d.weights().Matrices(StrCat("blk.", layer, ".", tensor, ".weight"), experts.count, rows,
                                columns);
  };
  ExpertWeights w;
  w.norm = d.Vector(layer, "ffn_norm", c.hidden);
  w.router = d.Matrix(layer, "ffn_gate_inp", experts.count, c.hidden);
  w.gate = matrices("ffn_gate_exps", experts.feed_forward, c.hidden);
  w.up = matrices("ffn_up_exps", experts.feed_forward, c.hidden);
  w.down = matrices("ffn_down_exps", c.hidden, experts.feed_forward);
  return w;
}

// Each token goes through the experts that the router scores highest, and their results are added
// with its probabilities, normed to sum 1.
Value Experts(DecoderGraph& d, const Qwen3Config& c, const Qwen3Experts& experts, int64_t layer,
              const ExpertWeights& w, Value x) {
  auto at = [&](std::string_view name) -> GraphBuilder& { return d.In(layer, "ffn/", name); };

  Value n = ops::RmsNorm(at("norm"), x, w.norm, c.eps);
  Value scores = ops::Linear(at("router"), n, w.router);
  auto [ids, shares] = ops::Route(at("route"), scores, {.k = experts.used, .normed = true});
  Value gate = ops::ExpertLinear(at("gate_proj"), n, w.gate, ids);
  Value up = ops::ExpertLinear(at("up_proj"), n, w.up, ids);
  gate = ops::Silu(at("silu"), gate);
  Value gated = ops::Mul(at("gated"), gate, up);
  Value down = ops::ExpertLinear(at("down_proj"), gated, w.down, ids);
  Value combined = ops::Combine(at("combine"), down, shares);
  return ops::Add(at("residual"), x, combined);
}

}  // namespace

absl::StatusOr<Graph> LowerQwen3(const Qwen3Config& config, const WeightSource& weights,
                                 const LowerOptions& options) {
  DecoderGraph d("qwen3", config, weights, options);
  Value x = d.Embed();
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const AttentionWeights attention = ReadAttention(d, config, layer);
    const DecoderGraph::FeedForwardWeights feed_forward = d.ReadFeedForward(layer);
    x = Attention(d, config, layer, attention, x);
    x = d.FeedForward(layer, feed_forward, x);
  }
  return d.Finish(x, "dense Qwen3");
}

absl::StatusOr<Graph> LowerQwen3Moe(const Qwen3Config& config, const Qwen3Experts& experts,
                                    const WeightSource& weights, const LowerOptions& options) {
  DecoderGraph d("qwen3moe", config, weights, options);
  Value x = d.Embed();
  for (int64_t layer = 0; layer < config.layers; ++layer) {
    const AttentionWeights attention = ReadAttention(d, config, layer);
    const ExpertWeights feed_forward = ReadExperts(d, config, experts, layer);
    x = Attention(d, config, layer, attention, x);
    x = Experts(d, config, experts, layer, feed_forward, x);
  }
  return d.Finish(x, "Qwen3 MoE");
}

}  // namespace infer
