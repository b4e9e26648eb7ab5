// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/tensor_plan.h"

#include <string>
#include <string_view>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

class Planner {
 public:
  Planner(const ModelShape& shape, const WeightType& type) : shape_(shape), type_(type) {}

  void Vector(std::string name, uint64_t elements) {
    tensors_.push_back({std::move(name), DType::kF32, {elements}});
  }

  void Matrix(std::string name, uint64_t columns, uint64_t rows, MatrixRole role, uint32_t layer) {
    const DType dtype = MatrixDType(type_, role, layer, shape_.layers, shape_.tied);
    tensors_.push_back({std::move(name), dtype, {columns, rows}});
  }

  void Experts(std::string name, uint64_t columns, uint64_t rows, MatrixRole role, uint32_t layer) {
    const DType dtype = MatrixDType(type_, role, layer, shape_.layers, shape_.tied);
    tensors_.push_back({std::move(name), dtype, {columns, rows, shape_.experts}});
  }

  // The router is never quantised.
  void FeedForward(const std::string& prefix, uint32_t layer) {
    const uint64_t hidden = shape_.hidden, ff = shape_.feed_forward;
    if (shape_.experts == 0) {
      Matrix(prefix + "ffn_down.weight", ff, hidden, MatrixRole::kFfnDown, layer);
      Matrix(prefix + "ffn_gate.weight", hidden, ff, MatrixRole::kOther, layer);
      Matrix(prefix + "ffn_up.weight", hidden, ff, MatrixRole::kOther, layer);
      return;
    }
    const uint64_t width = shape_.expert_feed_forward;
    Experts(prefix + "ffn_down_exps.weight", width, hidden, MatrixRole::kFfnDown, layer);
    Experts(prefix + "ffn_gate_exps.weight", hidden, width, MatrixRole::kOther, layer);
    tensors_.push_back({prefix + "ffn_gate_inp.weight", DType::kF32, {hidden, shape_.experts}});
    Experts(prefix + "ffn_up_exps.weight", hidden, width, MatrixRole::kOther, layer);
  }

  void Layer(uint32_t layer) {
    const std::string prefix = StrCat("blk.", layer, ".");
    const uint64_t hidden = shape_.hidden;
    const uint64_t q_rows = uint64_t{shape_.heads} * shape_.head_dim;
    const uint64_t kv_rows = uint64_t{shape_.kv_heads} * shape_.head_dim;
    Vector(prefix + "attn_norm.weight", hidden);
    FeedForward(prefix, layer);
    Vector(prefix + "ffn_norm.weight", hidden);
    const bool biases = shape_.family == SynthFamily::kQwen2;
    const bool head_norms = shape_.family == SynthFamily::kQwen3;
    if (head_norms) Vector(prefix + "attn_k_norm.weight", shape_.head_dim);
    if (biases) Vector(prefix + "attn_k.bias", kv_rows);
    Matrix(prefix + "attn_k.weight", hidden, kv_rows, MatrixRole::kOther, layer);
    Matrix(prefix + "attn_output.weight", q_rows, hidden, MatrixRole::kAttentionOutput, layer);
    if (head_norms) Vector(prefix + "attn_q_norm.weight", shape_.head_dim);
    if (biases) Vector(prefix + "attn_q.bias", q_rows);
    Matrix(prefix + "attn_q.weight", hidden, q_rows, MatrixRole::kOther, layer);
    if (biases) Vector(prefix + "attn_v.bias", kv_rows);
    Matrix(prefix + "attn_v.weight", hidden, kv_rows, MatrixRole::kAttentionV, layer);
  }

  std::vector<GgufTensor> Take() { return std::move(tensors_); }

 private:
  const ModelShape& shape_;
  const WeightType& type_;
  std::vector<GgufTensor> tensors_;
};

// Returns the flags that set the columns of a matrix.
std::string_view ColumnsFlag(std::string_view tensor) {
  if (tensor.find("ffn_down_exps") != std::string_view::npos) return "--expert-ff";
  if (tensor.find("ffn_down") != std::string_view::npos) return "--ff";
  if (tensor.find("attn_output") != std::string_view::npos) return "--heads or --head-dim";
  return "--hidden";
}

absl::Status CheckBlocks(const GgufTensor& tensor) {
  const DTypeInfo& info = Info(tensor.dtype);
  if (tensor.dims[0] % info.block_elements == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat(
      tensor.name, ": ", tensor.dims[0], " columns are not a multiple of ", info.block_elements,
      ", the block of ", info.name, "; change ", ColumnsFlag(tensor.name), " or --type"));
}

}  // namespace

absl::StatusOr<std::vector<GgufTensor>> PlanTensors(const ModelShape& shape, const WeightType& type,
                                                    uint32_t vocabulary_tokens) {
  Planner planner(shape, type);
  planner.Matrix("token_embd.weight", shape.hidden, vocabulary_tokens, MatrixRole::kToken, 0);
  for (uint32_t layer = 0; layer < shape.layers; ++layer) planner.Layer(layer);
  planner.Vector("output_norm.weight", shape.hidden);
  if (shape.family == SynthFamily::kLlama) {
    planner.Vector("rope_freqs.weight", shape.head_dim / 2);
  }
  if (!shape.tied) {
    planner.Matrix("output.weight", shape.hidden, vocabulary_tokens, MatrixRole::kOutput, 0);
  }
  std::vector<GgufTensor> tensors = planner.Take();
  for (const GgufTensor& tensor : tensors) RETURN_IF_ERROR(CheckBlocks(tensor));
  return tensors;
}

}  // namespace infer
