// SPDX-License-Identifier: Apache-2.0
#include "frontends/qwen3/lower.h"

#include <cmath>

#include "frontends/family/model_weights.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

struct LayerWeights {
  Value attn_norm, q, k, v, q_norm, k_norm, o;
  Value ffn_norm, router, gate, up, down;  // router only with experts
};

class Qwen3Lowering {
 public:
  // `experts` is nullptr for a dense model.
  Qwen3Lowering(const Qwen3Config& config, const Qwen3Experts* experts, const WeightSource& source,
                const LowerOptions& options)
      : c_(config),
        experts_(experts),
        options_(options),
        graph_(experts == nullptr ? "qwen3" : "qwen3moe"),
        b_(&graph_),
        weights_(b_, source) {}

  absl::StatusOr<Graph> Lower() {
    Value tokens =
        graph_.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
    batch_ = graph_.AddInput("batch", ValueType::Batch())->output();

    Value token_embd = weights_.Matrix("token_embd.weight", c_.vocabulary, c_.hidden);
    Value x = ops::Embed(b_.In("embed"), token_embd, tokens);
    for (int64_t layer = 0; layer < c_.layers; ++layer) {
      LayerWeights w = ReadLayer(layer);
      x = Attention(layer, w, x);
      x = experts_ == nullptr ? FeedForward(layer, w, x) : Experts(layer, w, x);
    }
    Value output_norm = weights_.Vector("output_norm.weight", c_.hidden);
    Value output =
        c_.tied ? token_embd : weights_.Matrix("output.weight", c_.vocabulary, c_.hidden);
    Value last = ops::SelectRows(b_.In("output/rows"), x, batch_);
    Value normed = ops::RmsNorm(b_.In("output/norm"), last, output_norm, c_.eps);
    Value logits = ops::Linear(b_.In("output/logits"), normed, output);

    RETURN_IF_ERROR(b_.status());
    RETURN_IF_ERROR(weights_.CheckAllUsed(experts_ == nullptr ? "dense Qwen3" : "Qwen3 MoE"));
    graph_.AddResult(logits);
    RETURN_IF_ERROR(AddExtraResults());
    return std::move(graph_);
  }

 private:
  Value Attention(int64_t layer, const LayerWeights& w, Value x) {
    auto at = [&](std::string_view name) -> GraphBuilder& { return In(layer, "attn/", name); };
    double scale = 1.0 / std::sqrt(static_cast<double>(c_.head_dim));

    Value n = ops::RmsNorm(at("norm"), x, w.attn_norm, c_.eps);
    Value q = ops::Linear(at("q_proj"), n, w.q);
    Value k = ops::Linear(at("k_proj"), n, w.k);
    Value v = ops::Linear(at("v_proj"), n, w.v);

    q = ops::Reshape(at("q_heads"), q, {0, c_.heads, c_.head_dim});
    q = ops::RmsNorm(at("q_norm"), q, w.q_norm, c_.eps);
    q = ops::Rope(at("q_rope"), q, batch_, c_.rope);
    k = ops::Reshape(at("k_heads"), k, {0, c_.kv_heads, c_.head_dim});
    k = ops::RmsNorm(at("k_norm"), k, w.k_norm, c_.eps);
    k = ops::Rope(at("k_rope"), k, batch_, c_.rope);

    Value kv =
        ops::KvState(at("kv"), layer, ValueType::Kv(options_.kv_type, c_.kv_heads, c_.head_dim));
    kv = ops::KvWrite(at("kv_write"), kv, k, v, batch_);
    Value heads = ops::Attention(at("attention"), q, kv, batch_, scale);
    Value out = ops::Linear(at("o_proj"), heads, w.o);
    return ops::Add(at("residual"), x, out);
  }

  Value FeedForward(int64_t layer, const LayerWeights& w, Value x) {
    auto at = [&](std::string_view name) -> GraphBuilder& { return In(layer, "ffn/", name); };

    Value n = ops::RmsNorm(at("norm"), x, w.ffn_norm, c_.eps);
    Value gate = ops::Linear(at("gate_proj"), n, w.gate);
    Value up = ops::Linear(at("up_proj"), n, w.up);
    gate = ops::Silu(at("silu"), gate);
    Value gated = ops::Mul(at("gated"), gate, up);
    Value down = ops::Linear(at("down_proj"), gated, w.down);
    return ops::Add(at("residual"), x, down);
  }

  // Each token goes through the experts that the router scores highest, and their results are added
  // with its probabilities, normed to sum 1.
  Value Experts(int64_t layer, const LayerWeights& w, Value x) {
    auto at = [&](std::string_view name) -> GraphBuilder& { return In(layer, "ffn/", name); };

    Value n = ops::RmsNorm(at("norm"), x, w.ffn_norm, c_.eps);
    Value scores = ops::Linear(at("router"), n, w.router);
    auto [ids, shares] = ops::Route(at("route"), scores, {.k = experts_->used, .normed = true});
    Value gate = ops::ExpertLinear(at("gate_proj"), n, w.gate, ids);
    Value up = ops::ExpertLinear(at("up_proj"), n, w.up, ids);
    gate = ops::Silu(at("silu"), gate);
    Value gated = ops::Mul(at("gated"), gate, up);
    Value down = ops::ExpertLinear(at("down_proj"), gated, w.down, ids);
    Value combined = ops::Combine(at("combine"), down, shares);
    return ops::Add(at("residual"), x, combined);
  }

  LayerWeights ReadLayer(int64_t layer) {
    auto name = [&](std::string_view tensor) {
      return StrCat("blk.", layer, ".", tensor, ".weight");
    };
    int64_t q_width = c_.heads * c_.head_dim;
    int64_t kv_width = c_.kv_heads * c_.head_dim;
    LayerWeights w;
    w.attn_norm = weights_.Vector(name("attn_norm"), c_.hidden);
    w.q = weights_.Matrix(name("attn_q"), q_width, c_.hidden);
    w.k = weights_.Matrix(name("attn_k"), kv_width, c_.hidden);
    w.v = weights_.Matrix(name("attn_v"), kv_width, c_.hidden);
    w.q_norm = weights_.Vector(name("attn_q_norm"), c_.head_dim);
    w.k_norm = weights_.Vector(name("attn_k_norm"), c_.head_dim);
    w.o = weights_.Matrix(name("attn_output"), c_.hidden, q_width);
    w.ffn_norm = weights_.Vector(name("ffn_norm"), c_.hidden);
    if (experts_ != nullptr) {
      const int64_t count = experts_->count, width = experts_->feed_forward;
      w.router = weights_.Matrix(name("ffn_gate_inp"), count, c_.hidden);
      w.gate = weights_.Matrices(name("ffn_gate_exps"), count, width, c_.hidden);
      w.up = weights_.Matrices(name("ffn_up_exps"), count, width, c_.hidden);
      w.down = weights_.Matrices(name("ffn_down_exps"), count, c_.hidden, width);
      return w;
    }
    w.gate = weights_.Matrix(name("ffn_gate"), c_.feed_forward, c_.hidden);
    w.up = weights_.Matrix(name("ffn_up"), c_.feed_forward, c_.hidden);
    w.down = weights_.Matrix(name("ffn_down"), c_.hidden, c_.feed_forward);
    return w;
  }

  GraphBuilder& In(int64_t layer, std::string_view part, std::string_view name) {
    return b_.In(StrCat("layer.", layer, "/", part, name));
  }

  absl::Status AddExtraResults() {
    for (const std::string& origin : options_.extra_results) {
      Node* found = nullptr;
      for (Node* node : graph_.nodes()) {
        if (node->num_results() > 0 && node->result().origin == origin) found = node;
      }
      if (found == nullptr) {
        return absl::InvalidArgumentError(
            StrCat("the graph has no value '", origin, "'; layers are 0 to ", c_.layers - 1));
      }
      graph_.AddResult(found->output());
    }
    return absl::OkStatus();
  }

  const Qwen3Config& c_;
  const Qwen3Experts* experts_;
  const LowerOptions& options_;
  Graph graph_;
  GraphBuilder b_;
  ModelWeights weights_;
  Value batch_;
};

}  // namespace

absl::StatusOr<Graph> LowerQwen3(const Qwen3Config& config, const WeightSource& weights,
                                 const LowerOptions& options) {
  return Qwen3Lowering(config, nullptr, weights, options).Lower();
}

absl::StatusOr<Graph> LowerQwen3Moe(const Qwen3Config& config, const Qwen3Experts& experts,
                                    const WeightSource& weights, const LowerOptions& options) {
  return Qwen3Lowering(config, &experts, weights, options).Lower();
}

}  // namespace infer
