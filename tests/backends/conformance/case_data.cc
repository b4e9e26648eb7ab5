// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/case_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>

#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"
#include "tools/synth/random_blocks.h"

namespace infer::conformance {
namespace {

constexpr uint64_t kWeightKey = 17;
constexpr int64_t kRun = 32;  // elements of an uneven row that are alike

void Change(Values values, int64_t columns, std::vector<float>* x) {
  const int64_t count = static_cast<int64_t>(x->size());
  auto scale_all = [&](float factor) {
    for (float& value : *x) value *= factor;
  };
  if (values == Values::kLarge) scale_all(1e15f);
  if (values == Values::kTiny) scale_all(1e-15f);
  if (values == Values::kSubnormal) scale_all(1e-40f);
  if (values == Values::kZero) scale_all(0.0f);
  if (values == Values::kNan) x->back() = std::numeric_limits<float>::quiet_NaN();
  if (values == Values::kInf) (*x)[columns / 2] = std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < count; ++i) {
    if (values == Values::kOutlier && i % 200 == 57) (*x)[i] *= 100;
    if (values == Values::kUneven) (*x)[i] *= std::array{1.0f, 1e-6f, 0.0f, 1e6f}[i / kRun % 4];
  }
}

TestTensor MakeRows(const Arg& arg, const SymbolValues& symbols, Values values, uint32_t seed) {
  int64_t elements = 1;
  for (Dim dim : arg.shape) elements *= dim.At(symbols);
  std::vector<float> x = RandomFloats(elements, seed);
  Change(values, arg.shape.dim(-1).At(symbols), &x);
  return F32Tensor(arg.shape, x);
}

// Rows of `columns` elements of a type, one after the other.
std::vector<std::byte> MakeBlocks(DType dtype, int64_t rows, int64_t columns, uint64_t key) {
  const RandomRows random(dtype, static_cast<uint64_t>(columns), key);
  std::vector<std::byte> bytes(rows * random.row_bytes());
  for (int64_t row = 0; row < rows; ++row) {
    random.Fill(static_cast<uint64_t>(row),
                std::span(bytes).subspan(row * random.row_bytes(), random.row_bytes()));
  }
  return bytes;
}

// Of all matrices.
int64_t RowsOf(const Shape& shape) {
  int64_t rows = 1;
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) rows *= shape.dim(axis).value();
  return rows;
}

TestTensor MakeNorm(const Arg& arg, const SymbolValues& symbols) {
  std::vector<float> weights = RandomFloats(arg.shape.dim(0).At(symbols), 5);
  for (float& weight : weights) weight = 1 + weight / 8;
  return F32Tensor(arg.shape, weights);
}

TestTensor MakeIndices(const Arg& arg, const SymbolValues& symbols) {
  int64_t count = 1;
  for (Dim dim : arg.shape) count *= dim.At(symbols);
  std::vector<int32_t> indices(count);
  for (int64_t i = 0; i < count; ++i) indices[i] = static_cast<int32_t>((i * 7 + 3) % arg.below);
  return I32Tensor(arg.shape, indices);
}

ValueType TypeOf(const Arg& arg) {
  if (arg.kind == Arg::Kind::kBatch) return ValueType::Batch();
  if (arg.kind == Arg::Kind::kCache) {
    return ValueType::Kv(arg.dtype, arg.shape.dim(0).value(), arg.shape.dim(1).value());
  }
  return ValueType::Tensor(arg.dtype, arg.shape);
}

// Rows of a cache have unit variance: RandomRows gives 1 / sqrt(columns), which scores of attention
// would hardly show.
TestCache MakeCache(const Arg& arg, int32_t block_positions, int32_t blocks) {
  const auto heads = static_cast<int32_t>(arg.shape.dim(0).value());
  const auto head_dim = static_cast<int32_t>(arg.shape.dim(1).value());
  TestCache cache(arg.dtype, heads, head_dim, block_positions, blocks);
  // Columns of one block make the deviation of a row 1 / sqrt(32) or, for plain types, 1.
  const int64_t columns = IsQuantized(arg.dtype) ? Info(arg.dtype).block_elements : 1;
  const int64_t rows = int64_t{1} * blocks * block_positions * heads * head_dim / columns;
  cache.k = MakeBlocks(arg.dtype, rows, columns, 1);
  cache.v = MakeBlocks(arg.dtype, rows, columns, 2);
  return cache;
}

}  // namespace

TestBatch::TestBatch(const std::vector<SequencePart>& sequences, int32_t block_positions) {
  batch_.block_positions = block_positions;
  auto blocks_of = [&](const SequencePart& part) {
    return (part.history + part.tokens + block_positions - 1) / block_positions;
  };
  for (const SequencePart& part : sequences) num_blocks_ += blocks_of(part);
  std::vector<int32_t> free(num_blocks_);
  std::iota(free.begin(), free.end(), 0);
  std::shuffle(free.begin(), free.end(), std::minstd_rand(7));
  for (const SequencePart& part : sequences) {
    const std::vector<int32_t> blocks(free.end() - blocks_of(part), free.end());
    free.resize(free.size() - blocks.size());
    AddSequence(part, blocks);
  }
  for (size_t i = 0; i < tables_.size(); ++i) sequences_[i].block_table = tables_[i];
  batch_.token_seq = token_seq_;
  batch_.token_pos = token_pos_;
  batch_.token_slot = token_slot_;
  batch_.out_rows = out_rows_;
  batch_.sequences = sequences_;
}

void TestBatch::AddSequence(const SequencePart& part, const std::vector<int32_t>& blocks) {
  BatchSequence sequence;
  sequence.first_token = static_cast<int32_t>(token_seq_.size());
  sequence.count = part.tokens;
  sequence.length = part.history + part.tokens;
  const auto index = static_cast<int32_t>(tables_.size());
  for (int32_t position = part.history; position < sequence.length; ++position) {
    token_seq_.push_back(index);
    token_pos_.push_back(position);
    token_slot_.push_back(blocks[position / batch_.block_positions] * batch_.block_positions +
                          position % batch_.block_positions);
  }
  out_rows_.push_back(static_cast<int32_t>(token_seq_.size()) - 1);
  entries_ += sequence.length;
  tables_.push_back(blocks);
  sequences_.push_back(sequence);
}

SymbolValues TestBatch::symbols() const {
  return {static_cast<int64_t>(token_seq_.size()), static_cast<int64_t>(out_rows_.size()),
          entries_};
}

CaseData::CaseData(const ConformanceCase& c)
    : batch(c.sequences, c.block_positions), symbols(batch.symbols()) {
  for (const Arg& arg : c.args) {
    CaseInput& input = inputs.emplace_back(CaseInput{.kind = arg.kind});
    const auto seed = static_cast<uint32_t>(inputs.size());
    switch (arg.kind) {
      case Arg::Kind::kRows:
        input.tensor = MakeRows(arg, symbols, c.values, seed);
        break;
      case Arg::Kind::kWeight:
        input.tensor = RawTensor(
            arg.dtype, arg.shape,
            MakeBlocks(arg.dtype, RowsOf(arg.shape), arg.shape.dim(-1).value(), kWeightKey + seed));
        break;
      case Arg::Kind::kNorm:
        input.tensor = MakeNorm(arg, symbols);
        break;
      case Arg::Kind::kIndices:
        input.tensor = MakeIndices(arg, symbols);
        break;
      case Arg::Kind::kCache:
        cache.emplace(MakeCache(arg, c.block_positions, batch.num_blocks()));
        break;
      case Arg::Kind::kBatch:
        break;
    }
  }
}

const Node* MakeNode(const ConformanceCase& c, Graph* graph) {
  std::vector<Value> values;
  for (const Arg& arg : c.args) {
    values.push_back(graph->AddInput(StrCat("x", values.size()), TypeOf(arg))->output());
  }
  GraphBuilder builder(graph);
  Node* node = builder.Emit(*c.op, values, c.attrs);
  EXPECT_TRUE(builder.status().ok()) << c.name << ": " << builder.status();
  for (int i = 0; node != nullptr && i < node->num_results(); ++i)
    graph->AddResult(node->output(i));
  return node;
}

}  // namespace infer::conformance
