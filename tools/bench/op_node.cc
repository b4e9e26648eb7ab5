// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/op_node.h"

#include <cmath>
#include <utility>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

constexpr double kEps = 1e-6;
constexpr ops::RopeParams kRope = {.base = 1e6};

// Builds the inputs of a node of this shape.
struct Maker {
  const OpShape& shape;
  Graph& graph;
  GraphBuilder& b;

  Value Rows(int64_t columns) { return Input(ValueType::F32({Symbol::kT, columns})); }
  Value Heads(int64_t heads) { return Input(ValueType::F32({Symbol::kT, heads, shape.head_dim})); }
  Value Matrix(int64_t columns) {
    return Weight(ValueType::Tensor(shape.type, {columns, shape.inner}));
  }
  Value Norm(int64_t columns) { return Weight(ValueType::F32({columns})); }
  Value Cache() { return Input(ValueType::Kv(shape.type, shape.kv_heads, shape.head_dim)); }
  Value Batch() { return Input(ValueType::Batch()); }
  int64_t QueryColumns() const { return shape.heads * shape.head_dim; }
  int64_t KeyColumns() const { return shape.kv_heads * shape.head_dim; }

  Value Input(ValueType type) {
    return graph.AddInput(StrCat("x", graph.num_nodes()), type)->output();
  }
  Value Weight(ValueType type) { return ops::WeightRef(b, StrCat("w", graph.num_nodes()), type); }
};

enum class Numbers { kProduct, kMatrices, kRow, kHeads, kCache };  // which numbers of a shape apply

struct BenchOp {
  std::string_view name;
  Numbers numbers;
  void (*emit)(Maker& m);
};

void EmitAttentionInputs(Maker& m) {
  Value q = m.Rows(m.QueryColumns()), k = m.Rows(m.KeyColumns()), v = m.Rows(m.KeyColumns());
  Value kv = m.Cache(), batch = m.Batch();
  Value q_norm = m.Norm(m.shape.head_dim), k_norm = m.Norm(m.shape.head_dim);
  ops::AttentionInputs(m.b, {kv, q, k, v, q_norm, k_norm, batch}, kEps, kRope);
}

void EmitQkNormRope(Maker& m) {
  Value q = m.Rows(m.QueryColumns()), k = m.Rows(m.KeyColumns()), batch = m.Batch();
  Value q_norm = m.Norm(m.shape.head_dim), k_norm = m.Norm(m.shape.head_dim);
  ops::QkNormRope(m.b, q, k, q_norm, k_norm, batch, kEps, kRope);
}

void EmitAttention(Maker& m) {
  Value q = m.Heads(m.shape.heads), kv = m.Cache(), batch = m.Batch();
  ops::Attention(m.b, q, kv, batch, 1 / std::sqrt(static_cast<double>(m.shape.head_dim)));
}

void EmitMultiLinear(Maker& m) {
  Value x = m.Rows(m.shape.inner);
  Value first = m.Matrix(m.shape.columns);
  ops::MultiLinear(m.b, x, {first, m.Matrix(m.shape.columns)});
}

void EmitAddRmsNorm(Maker& m) {
  Value x = m.Rows(m.shape.columns), y = m.Rows(m.shape.columns);
  ops::AddRmsNorm(m.b, x, y, m.Norm(m.shape.columns), kEps);
}

void EmitLinear(Maker& m) {
  Value x = m.Rows(m.shape.inner);
  ops::Linear(m.b, x, m.Matrix(m.shape.columns));
}

void EmitMatmul(Maker& m) {
  Value a = m.Rows(m.shape.inner);
  ops::Matmul(m.b, a, m.Input(ValueType::F32({m.shape.inner, m.shape.columns})));
}

void EmitRmsNorm(Maker& m) {
  Value x = m.Rows(m.shape.columns);
  ops::RmsNorm(m.b, x, m.Norm(m.shape.columns), kEps);
}

void EmitRope(Maker& m) {
  Value x = m.Heads(m.shape.heads);
  ops::Rope(m.b, x, m.Batch(), kRope);
}

template <Value (*kOp)(GraphBuilder&, Value)>
void EmitUnary(Maker& m) {
  kOp(m.b, m.Rows(m.shape.columns));
}

template <Value (*kOp)(GraphBuilder&, Value, Value)>
void EmitBinary(Maker& m) {
  Value x = m.Rows(m.shape.columns);
  kOp(m.b, x, m.Rows(m.shape.columns));
}

constexpr BenchOp kOps[] = {
    {"add", Numbers::kRow, EmitBinary<ops::Add>},
    {"add_rms_norm", Numbers::kRow, EmitAddRmsNorm},
    {"argmax", Numbers::kRow, [](Maker& m) { ops::Argmax(m.b, m.Rows(m.shape.columns)); }},
    {"attention", Numbers::kCache, EmitAttention},
    {"attention_inputs", Numbers::kCache, EmitAttentionInputs},
    {"linear", Numbers::kProduct, EmitLinear},
    {"matmul", Numbers::kMatrices, EmitMatmul},
    {"mul", Numbers::kRow, EmitBinary<ops::Mul>},
    {"multi_linear", Numbers::kProduct, EmitMultiLinear},
    {"qk_norm_rope", Numbers::kHeads, EmitQkNormRope},
    {"rms_norm", Numbers::kRow, EmitRmsNorm},
    {"rope", Numbers::kHeads, EmitRope},
    {"silu", Numbers::kRow, EmitUnary<ops::Silu>},
    {"softmax", Numbers::kRow, EmitUnary<ops::Softmax>},
    {"swiglu", Numbers::kRow, EmitBinary<ops::Swiglu>},
};

const BenchOp* FindBenchOp(std::string_view name) {
  for (const BenchOp& op : kOps) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

std::string ShapeText(const BenchOp& op, const OpShape& shape) {
  std::string text = StrCat("m=", shape.rows);
  const bool has_inner = op.numbers == Numbers::kProduct || op.numbers == Numbers::kMatrices;
  if (has_inner || op.numbers == Numbers::kRow) StrAppend(&text, " n=", shape.columns);
  if (has_inner) StrAppend(&text, " k=", shape.inner);
  if (op.numbers == Numbers::kCache) StrAppend(&text, " d=", shape.depth);
  if (op.numbers == Numbers::kHeads || op.numbers == Numbers::kCache) {
    StrAppend(&text, " heads=", shape.heads, "/", shape.kv_heads, "x", shape.head_dim);
  }
  if (op.numbers == Numbers::kProduct || op.numbers == Numbers::kCache) {
    StrAppend(&text, " ", Name(shape.type));
  }
  return text;
}

}  // namespace

std::vector<std::string> BenchOps() {
  std::vector<std::string> names;
  for (const BenchOp& op : kOps) names.emplace_back(op.name);
  return names;
}

bool ReadsCache(std::string_view op) {
  const BenchOp* found = FindBenchOp(op);
  return found != nullptr && found->numbers == Numbers::kCache;
}

absl::StatusOr<OpNode> MakeOpNode(std::string_view op, const OpShape& shape) {
  const BenchOp* found = FindBenchOp(op);
  if (found == nullptr) return absl::InternalError(StrCat("no op ", op, " to measure"));
  OpNode made;
  GraphBuilder builder(&made.graph);
  Maker maker{shape, made.graph, builder};
  found->emit(maker);
  if (!builder.status().ok()) return builder.status();
  made.node = builder.emitted().back();
  made.shape_text = ShapeText(*found, shape);
  return made;
}

}  // namespace infer
