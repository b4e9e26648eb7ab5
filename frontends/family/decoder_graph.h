// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/family/decoder_config.h"
#include "frontends/family/model_weights.h"
#include "ir/graph/builder.h"

namespace infer {

// Emits the parts that all decoders share; the lowering of a family adds its own between them. The
// builder's scope is state, so no emitting call may be nested in the arguments of another.
class DecoderGraph {
 public:
  // All must outlive the object. `name` is the graph's.
  DecoderGraph(std::string_view name, const DecoderConfig& config, const WeightSource& source,
               const LowerOptions& options);

  // Declares the inputs and returns the vectors of the tokens.
  Value Embed();

  struct FeedForwardWeights {
    Value norm, gate, up, down;
  };
  // Declares matrix `tensor` of a layer: "attn_q" is blk.3.attn_q.weight.
  Value Matrix(int64_t layer, std::string_view tensor, int64_t rows, int64_t columns);
  Value Vector(int64_t layer, std::string_view tensor, int64_t elements,
               std::string_view kind = "weight");
  FeedForwardWeights ReadFeedForward(int64_t layer);

  // Stores k and v, attends with q, projects and adds to x. q and k are heads, v is rows.
  Value Attend(int64_t layer, Value x, Value q, Value k, Value v, Value o);
  // x + down(silu(gate(n)) * up(n)), n = norm(x).
  Value FeedForward(int64_t layer, const FeedForwardWeights& w, Value x);

  // Emits the output for the rows that are asked for. `model` names the kind of model in errors:
  // "dense Qwen3".
  absl::StatusOr<Graph> Finish(Value x, std::string_view model);

  Value batch() const { return batch_; }
  ModelWeights& weights() { return weights_; }
  // Returns the builder at scope "layer.3/attn/q_proj".
  GraphBuilder& In(int64_t layer, std::string_view part, std::string_view name);

 private:
  // Returns an empty value if the vectors are the result.
  Value OutputMatrix();
  absl::Status AddExtraResults();

  const DecoderConfig& c_;
  const LowerOptions& options_;
  Graph graph_;
  GraphBuilder b_;
  ModelWeights weights_;
  Value token_embd_;
  Value batch_;
};

}  // namespace infer
