// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer::test {
namespace {

constexpr int64_t kVocabulary = 9;
constexpr int64_t kHeadDim = 4;
constexpr double kEps = 0.5;

class Generator {
 public:
  explicit Generator(uint64_t seed) : random_(seed), graph_("random"), b_(&graph_) {}

  Graph Make() {
    tokens_ = graph_.AddInput("tokens", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
    batch_ = graph_.AddInput("batch", ValueType::Batch())->output();
    Add(graph_.AddInput("x", ValueType::F32({Symbol::kT, Width()}))->output());
    Value table = Weight({kVocabulary, Width()});
    Add(ops::Embed(Next(), table, tokens_));
    for (int i = 4 + Below(14); i > 0; --i) AddSomething();
    Value rows = ops::SelectRows(Next(), Rows(Symbol::kT), batch_);
    Add(ops::RmsNorm(Next(), rows, Vector(rows), kEps));
    Value logits =
        ops::Linear(Next(), values_.back(), Weight({kVocabulary, WidthOf(values_.back())}));
    graph_.AddResult(logits);
    for (int i = Below(4); i > 0; --i) graph_.AddResult(values_[Index()]);
    EXPECT_TRUE(b_.status().ok()) << b_.status();
    return std::move(graph_);
  }

 private:
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  int64_t Width() { return int64_t{32} << Below(2); }  // whole blocks of q8_0
  static int64_t WidthOf(Value x) { return x.type().dim(1).value(); }
  void Add(Value value) {
    if (value) values_.push_back(value);  // on failure the builder keeps the error
  }
  GraphBuilder& Next() { return b_.In(StrCat("layer.", layer_, "/n", count_++)); }

  // Prefers later values, so that chains form and earlier values die.
  size_t Index() {
    int last = static_cast<int>(values_.size()) - 1;
    return static_cast<size_t>(last - std::min(Below(last + 1), Below(last + 1)));
  }
  // Returns a value of rank 2 with `symbol` rows, as wide as `like` if that is given; one with T
  // rows always exists.
  Value Rows(Symbol symbol, Value like = {}) {
    std::vector<Value> found;
    for (Value value : values_) {
      if (value.type().rank() != 2 || value.type().dim(0) != Dim(symbol)) continue;
      if (!like || value.type() == like.type()) found.push_back(value);
    }
    if (found.empty()) {
      Add(ops::SelectRows(Next(), Rows(Symbol::kT), batch_));
      return values_.back();
    }
    int last = static_cast<int>(found.size()) - 1;
    return found[last - std::min(Below(last + 1), Below(last + 1))];
  }
  Value AnyRows() { return Rows(Below(4) == 0 ? Symbol::kR : Symbol::kT); }

  // Draws the name from a small set, so that weights are shared.
  Value Weight(Shape shape, bool f32 = false) {
    const DType types[] = {DType::kF32, DType::kF16, DType::kQ8_0};
    DType dtype = f32 ? DType::kF32 : types[Below(3)];
    ValueType type = ValueType::Tensor(dtype, shape);
    return ops::WeightRef(b_, StrCat(ToString(type), Below(3)), type);
  }
  Value Vector(Value x) { return Weight({x.type().dim(-1)}, /*f32=*/true); }
  Value Projection(Value x, int64_t width) { return Weight({width, WidthOf(x)}); }
  ops::RopeParams RopeOf() { return {.base = 1000.0 * (1 + Below(2))}; }

  void AddSomething() {
    switch (Below(10)) {
      case 0:
        return AddAttention();
      case 1:
        return AddFeedForward();
      case 2:
        return AddFused();
      case 3:
        return AddCacheOps();
      case 4:
        return AddColumns();
      case 5:
        return AddStandaloneNorm();
      case 6:
        return AddExperts();
      default:
        return AddElementwise();
    }
  }

  void AddElementwise() {
    Value x = AnyRows();
    Value y = Below(3) == 0 ? Vector(x) : Rows(x.type().dim(0).symbol(), x);
    switch (Below(7)) {
      case 0:
        return Add(ops::Add(Next(), x, y));
      case 1:
        return Add(ops::Mul(Next(), x, y));
      case 2:
        return Add(ops::Scale(Next(), x, 0.25 * (1 + Below(3))));
      case 3:
        return Add(ops::AddScalar(Next(), x, 0.5));
      case 4:
        return Add(ops::Silu(Next(), x));
      case 5:
        return Add(ops::Copy(Next(), x));
      default:
        return Add(ops::Softmax(Next(), x));
    }
  }

  void AddColumns() {
    Value x = AnyRows();
    int64_t width = WidthOf(x);
    switch (Below(6)) {
      case 0: {
        Value cut = ops::SliceColumns(Next(), x, 32 * Below(static_cast<int>(width / 32)), 32);
        return Add(cut);
      }
      case 1:
        if (width > 64) return;
        return Add(ops::ConcatColumns(Next(), {x, Rows(x.type().dim(0).symbol(), x)}));
      case 2:
        return Add(ops::Reshape(Next(), ops::Reshape(Next(), x, {0, 2, width / 2}), {0, width}));
      case 3:
        return Add(ops::Transpose(Next(), ops::Silu(Next(), ops::Transpose(Next(), x))));
      case 4:
        return Add(ops::Matmul(Next(), x, Weight({width, Width()}, /*f32=*/true)));
      default:
        Add(ops::GatherRows(Next(), Weight({kVocabulary, width}, /*f32=*/true), tokens_));
        graph_.AddResult(ops::Argmax(Next(), x).first);
    }
  }

  // Almost what rms_norm decomposes into, so that such nodes do not come from legalize alone.
  void AddStandaloneNorm() {
    Value x = AnyRows();
    Value sum = ops::AddScalar(Next(), ops::RowSumSquares(Next(), x), 1.0);
    Value inverse = ops::BroadcastRows(Next(), ops::Rsqrt(Next(), sum), WidthOf(x));
    Add(ops::Mul(Next(), x, inverse));
  }

  Value NewCache() {
    const DType dtype = Below(2) == 0 ? DType::kF16 : DType::kF32;
    return ops::KvState(b_, layer_++, ValueType::Kv(dtype, 1, kHeadDim));
  }
  Value Heads(Value x, int64_t heads) {
    Value rows = ops::Linear(Next(), x, Projection(x, heads * kHeadDim));
    return ops::Reshape(Next(), rows, {0, heads, kHeadDim});
  }

  // As in a decoder: norm, three projections, norms and rotation of q and k, cache, attention,
  // residual.
  void AddAttention() {
    Value x = Rows(Symbol::kT);
    Value kv = NewCache();
    Value norm = ops::RmsNorm(Next(), x, Vector(x), kEps);
    ops::RopeParams rope = RopeOf();
    Value q_heads = Heads(norm, 2);
    Value k_heads = Heads(norm, 1);
    Value v = ops::Linear(Next(), norm, Projection(norm, kHeadDim));
    Value q = ops::Rope(Next(), ops::RmsNorm(Next(), q_heads, Vector(q_heads), kEps), batch_, rope);
    Value k = ops::Rope(Next(), ops::RmsNorm(Next(), k_heads, Vector(k_heads), kEps), batch_, rope);
    Value written = ops::KvWrite(Next(), kv, k, v, batch_);
    Value mixed = ops::Attention(Next(), q, written, batch_, 0.5);
    Value out = ops::Linear(Next(), mixed, Weight({WidthOf(x), 2 * kHeadDim}, /*f32=*/true));
    Add(Below(2) == 0 ? ops::Add(Next(), x, out) : ops::Add(Next(), out, x));
    if (Below(4) == 0) graph_.AddResult(k);
  }

  void AddFeedForward() {
    Value x = AnyRows();
    Value norm = ops::RmsNorm(Next(), x, Vector(x), kEps);
    int64_t width = Width();
    Value gate = ops::Linear(Next(), norm, Projection(norm, width));
    Value up = ops::Linear(Next(), norm, Projection(norm, width));
    Value act = ops::Silu(Next(), gate);
    Value gated = Below(2) == 0 ? ops::Mul(Next(), act, up) : ops::Mul(Next(), up, act);
    Value down = ops::Linear(Next(), gated, Projection(gated, WidthOf(x)));
    if (Below(4) == 0) Add(gate);
    Add(ops::Add(Next(), x, down));
  }

  void AddExperts() {
    Value x = AnyRows();
    const int64_t experts = 2 + Below(4), used = 1 + Below(2), width = Width();
    Value norm = ops::RmsNorm(Next(), x, Vector(x), kEps);
    Value scores = ops::Linear(Next(), norm, Projection(norm, experts));
    auto [ids, shares] = ops::Route(Next(), scores, {.k = used, .normed = Below(2) == 0});
    Value gate = ops::ExpertLinear(Next(), norm, Weight({experts, width, WidthOf(x)}), ids);
    Value up = ops::ExpertLinear(Next(), norm, Weight({experts, width, WidthOf(x)}), ids);
    Value gated = ops::Mul(Next(), ops::Silu(Next(), gate), up);
    Value down = ops::ExpertLinear(Next(), gated, Weight({experts, WidthOf(x), width}), ids);
    if (Below(4) == 0) graph_.AddResult(up);
    Add(ops::Add(Next(), x, ops::Combine(Next(), down, shares)));
  }

  // Ops that a frontend does not emit but a graph text may contain.
  void AddFused() {
    Value x = AnyRows();
    Value like = Rows(x.type().dim(0).symbol(), x);
    switch (Below(3)) {
      case 0: {
        auto [sum, norm] = ops::AddRmsNorm(Next(), x, like, Vector(x), kEps);
        Add(sum);
        return Add(norm);
      }
      case 1:
        for (Value part :
             ops::MultiLinear(Next(), x, {Projection(x, Width()), Projection(x, Width())})) {
          Add(part);
        }
        return;
      default:
        return Add(ops::Swiglu(Next(), x, like));
    }
  }

  // A cache that is read before it is written, and written twice.
  void AddCacheOps() {
    Value x = Rows(Symbol::kT);
    Value kv = NewCache();
    if (Below(2) == 0) {
      auto [keys, values] = ops::KvRead(Next(), kv, batch_);
      graph_.AddResult(ops::Add(Next(), keys, values));
    }
    Value k = ops::Rope(Next(), Heads(x, 1), batch_, RopeOf());
    Value v = ops::Linear(Next(), x, Projection(x, kHeadDim));
    kv = ops::KvWrite(Next(), kv, k, v, batch_);
    if (Below(3) == 0) kv = ops::KvWrite(Next(), kv, k, k, batch_);
    if (Below(3) == 0) return;  // nothing reads what was written
    Value q = ops::Rope(Next(), Heads(x, 2), batch_, RopeOf());
    Value mixed = ops::Attention(Next(), q, kv, batch_, 0.5);
    Add(ops::Linear(Next(), mixed, Weight({Width(), 2 * kHeadDim}, /*f32=*/true)));
  }

  std::mt19937_64 random_;
  Graph graph_;
  GraphBuilder b_;
  Value tokens_;
  Value batch_;
  std::vector<Value> values_;  // of rank 2, with T or R rows
  int layer_ = 0;
  int count_ = 0;
};

}  // namespace

SymbolRanges RandomGraphSymbols() {
  SymbolRanges symbols;
  symbols[Symbol::kT] = {1, 8};
  symbols[Symbol::kR] = {1, 2};
  symbols[Symbol::kS] = {1, 24};
  return symbols;
}

Graph RandomGraph(uint64_t seed) { return Generator(seed).Make(); }

}  // namespace infer::test
