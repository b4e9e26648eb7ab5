// SPDX-License-Identifier: Apache-2.0
//
// Every op: its record, from the list, and a function that emits it. In alphabetical order.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/graph/op_def.h"
#include "ir/ops/attributes.h"

namespace infer::ops {

#define INFER_OP(record) extern const OpDef record;
#include "ir/ops/op_list.def"
#undef INFER_OP

struct AttentionInputValues {
  Value kv, q, k, v, q_norm, k_norm, batch;
};

Value Add(GraphBuilder& b, Value x, Value y);
// Returns the sum and the normed sum.
std::pair<Value, Value> AddRmsNorm(GraphBuilder& b, Value x, Value y, Value weight, double eps);
Value AddScalar(GraphBuilder& b, Value x, double scalar);
// The whole of a value that is split along `axis`; `reason` says who needs it.
Value AllGather(GraphBuilder& b, Value x, int64_t axis, int64_t ranks, std::string reason);
// The sum of the ranks' terms.
Value AllReduce(GraphBuilder& b, Value x, int64_t ranks, std::string reason);
// The same values with all rows, of which each rank may have computed a share. Null on an error.
Node* AllRows(GraphBuilder& b, std::vector<Value> values, int64_t ranks, std::string reason);
std::pair<Value, Value> Argmax(GraphBuilder& b, Value x);
Value Attention(GraphBuilder& b, Value q, Value kv, Value batch, double scale);
// Returns the cache and the heads of q.
std::pair<Value, Value> AttentionInputs(GraphBuilder& b, const AttentionInputValues& in, double eps,
                                        const RopeParams& rope);
Value AttnMask(GraphBuilder& b, Value scores, Value batch);
Value BroadcastRows(GraphBuilder& b, Value x, int64_t columns);
Value Combine(GraphBuilder& b, Value x, Value weights);
Value ConcatColumns(GraphBuilder& b, std::vector<Value> parts);
Value Copy(GraphBuilder& b, Value x);
Value Embed(GraphBuilder& b, Value table, Value tokens);
Value ExpertLinear(GraphBuilder& b, Value x, Value weight, Value ids);
Value ExpertSwiglu(GraphBuilder& b, Value x, Value gate, Value up, Value ids);
Value GatherRows(GraphBuilder& b, Value x, Value rows);
std::pair<Value, Value> KvRead(GraphBuilder& b, Value kv, Value batch);
Value KvState(GraphBuilder& b, int64_t id, ValueType type);
Value KvWrite(GraphBuilder& b, Value kv, Value k, Value v, Value batch);
Value Linear(GraphBuilder& b, Value x, Value weight);
Value Matmul(GraphBuilder& b, Value a, Value x);
Value Mul(GraphBuilder& b, Value x, Value y);
std::vector<Value> MultiLinear(GraphBuilder& b, Value x, const std::vector<Value>& weights);
// Returns the heads of q and of k.
std::pair<Value, Value> QkNormRope(GraphBuilder& b, Value q, Value k, Value q_norm, Value k_norm,
                                   Value batch, double eps, const RopeParams& rope);
// A dimension of 0 in `dims` stands for dimension 0 of x, which may be a symbol.
Value Reshape(GraphBuilder& b, Value x, std::vector<int64_t> dims);
Value RmsNorm(GraphBuilder& b, Value x, Value weight, double eps);
Value Rope(GraphBuilder& b, Value x, Value batch, const RopeParams& params);
// Returns the ids of the experts and their weights.
std::pair<Value, Value> Route(GraphBuilder& b, Value logits, const TopKParams& params);
Value RowSumSquares(GraphBuilder& b, Value x);
Value Rsqrt(GraphBuilder& b, Value x);
Value Scale(GraphBuilder& b, Value x, double factor);
Value SelectRows(GraphBuilder& b, Value x, Value batch);
Value Silu(GraphBuilder& b, Value x);
Value SliceColumns(GraphBuilder& b, Value x, int64_t begin, int64_t columns);
Value Softmax(GraphBuilder& b, Value x);
Value Swiglu(GraphBuilder& b, Value gate, Value up);
// Returns the columns and the values.
std::pair<Value, Value> TopK(GraphBuilder& b, Value x, const TopKParams& params);
Value Transpose(GraphBuilder& b, Value x);
// A rank's part of a weight along an axis, which `ranks` must divide.
Value WeightPart(GraphBuilder& b, const Node& whole, int axis, int64_t ranks, std::string reason);
// Records why every rank has all of a weight.
void SetShardReason(Node* weight, std::string reason);
Value WeightRef(GraphBuilder& b, std::string name, ValueType type);

// The bytes of a node that reads the matrices that input `ids` names of the weights before it:
// those of one token's experts at T = 1, all at kTokensUsingAllExperts. In between the number of
// experts that a call uses grows faster, which a count linear in T cannot express.
inline constexpr double kTokensUsingAllExperts = 512;
SymbolicCount ExpertIoBytes(const OpArgs& args, int ids);

}  // namespace infer::ops
