// SPDX-License-Identifier: Apache-2.0
#include "frontends/family/decoder_graph.h"

#include <cmath>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer {

DecoderGraph::DecoderGraph(std::string_view name, const DecoderConfig& config,
                           const WeightSource& source, const LowerOptions& options)
    : c_(config), options_(options), graph_(std::string(name)), b_(&graph_), weights_(b_, source) {}

Value DecoderGraph::Embed() {
  Value tokens = graph_.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
  batch_ = graph_.AddInput("batch", ValueType::Batch())->output();
  token_embd_ = weights_.Matrix("token_embd.weight", c_.vocabulary, c_.hidden);
  return ops::Embed(b_.In("embed"), token_embd_, tokens);
}

Value DecoderGraph::Matrix(int64_t layer, std::string_view tensor, int64_t rows, int64_t columns) {
  return weights_.Matrix(StrCat("blk.", layer, ".", tensor, ".weight"), rows, columns);
}

Value DecoderGraph::Vector(int64_t layer, std::string_view tensor, int64_t elements,
                           std::string_view kind) {
  return weights_.Vector(StrCat("blk.", layer, ".", tensor, ".", kind), elements);
}

DecoderGraph::FeedForwardWeights DecoderGraph::ReadFeedForward(int64_t layer) {
  FeedForwardWeights w;
  w.norm = Vector(layer, "ffn_norm", c_.hidden);
  w.gate = Matrix(layer, "ffn_gate", c_.feed_forward, c_.hidden);
  w.up = Matrix(layer, "ffn_up", c_.feed_forward, c_.hidden);
  w.down = Matrix(layer, "ffn_down", c_.hidden, c_.feed_forward);
  return w;
}

Value DecoderGraph::Attend(int64_t layer, Value x, Value q, Value k, Value v, Value o) {
  auto at = [&](std::string_view name) -> GraphBuilder& { return In(layer, "attn/", name); };
  const double scale = 1.0 / std::sqrt(static_cast<double>(c_.head_dim));
  Value kv =
      ops::KvState(at("kv"), layer, ValueType::Kv(options_.kv_type, c_.kv_heads, c_.head_dim));
  kv = ops::KvWrite(at("kv_write"), kv, k, v, batch_);
  Value heads = ops::Attention(at("attention"), q, kv, batch_, scale);
  Value out = ops::Linear(at("o_proj"), heads, o);
  return ops::Add(at("residual"), x, out);
}

Value DecoderGraph::FeedForward(int64_t layer, const FeedForwardWeights& w, Value x) {
  auto at = [&](std::string_view name) -> GraphBuilder& { return In(layer, "ffn/", name); };
  Value n = ops::RmsNorm(at("norm"), x, w.norm, c_.eps);
  Value gate = ops::Linear(at("gate_proj"), n, w.gate);
  Value up = ops::Linear(at("up_proj"), n, w.up);
  gate = ops::Silu(at("silu"), gate);
  Value gated = ops::Mul(at("gated"), gate, up);
  Value down = ops::Linear(at("down_proj"), gated, w.down);
  return ops::Add(at("residual"), x, down);
}

absl::StatusOr<Graph> DecoderGraph::Finish(Value x, std::string_view model) {
  Value output_norm = weights_.Vector("output_norm.weight", c_.hidden);
  Value output = OutputMatrix();
  Value last = ops::SelectRows(b_.In("output/rows"), x, batch_);
  Value result = ops::RmsNorm(b_.In("output/norm"), last, output_norm, c_.eps);
  if (output.node != nullptr) result = ops::Linear(b_.In("output/logits"), result, output);
  RETURN_IF_ERROR(b_.status());
  RETURN_IF_ERROR(weights_.CheckAllUsed(model));
  graph_.AddResult(result);
  RETURN_IF_ERROR(AddExtraResults());
  return std::move(graph_);
}

Value DecoderGraph::OutputMatrix() {
  if (options_.vectors) {
    for (const char* unused : {"output.weight", "cls.output.weight"}) weights_.Skip(unused);
    return {};
  }
  if (!c_.labels.empty()) {
    b_.Fail(absl::InvalidArgumentError(
        StrCat(c_.name,
               " is a reranker (tensor cls.output.weight): it scores documents and does "
               "not generate text")));
    return {};
  }
  return c_.tied ? token_embd_ : weights_.Matrix("output.weight", c_.vocabulary, c_.hidden);
}

GraphBuilder& DecoderGraph::In(int64_t layer, std::string_view part, std::string_view name) {
  return b_.In(StrCat("layer.", layer, "/", part, name));
}

absl::Status DecoderGraph::AddExtraResults() {
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

}  // namespace infer
