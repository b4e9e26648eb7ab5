// SPDX-License-Identifier: Apache-2.0
#include "tests/support/kernel_harness.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "ir/graph/builder.h"

namespace infer {
namespace {

// Read as a float -2.7e-16, as an int -1515870811: no expectation contains it, so an unwritten
// element is noticed.
constexpr std::byte kUnwritten{0xA5};
constexpr size_t kFileAlignment = 32;  // of a weight in a GGUF file
constexpr int64_t kGap = 3;            // elements before each of the rows that lie apart

template <class T>
std::vector<T> As(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

template <class T>
TestTensor FromValues(DType dtype, Shape shape, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return RawTensor(dtype, shape, std::move(bytes));
}

}  // namespace

std::vector<float> TestTensor::floats() const { return As<float>(bytes); }
std::vector<int32_t> TestTensor::ints() const { return As<int32_t>(bytes); }

TestTensor F32Tensor(Shape shape, std::vector<float> values) {
  return FromValues(DType::kF32, shape, values);
}

TestTensor I32Tensor(Shape shape, std::vector<int32_t> values) {
  return FromValues(DType::kI32, shape, values);
}

TestTensor RawTensor(DType dtype, Shape shape, std::vector<std::byte> bytes) {
  return {ValueType::Tensor(dtype, shape), std::move(bytes)};
}

std::vector<float> RandomFloats(int64_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(generator() >> 8) * 0x1p-22f - 2.0f;  // 24 bits: exact
  }
  return values;
}

TestCache::TestCache(DType type, int32_t heads, int32_t head_elements, int32_t positions_per_block,
                     int32_t blocks)
    : dtype(type), kv_heads(heads), head_dim(head_elements), block_positions(positions_per_block) {
  const uint64_t elements = static_cast<uint64_t>(blocks) * block_positions * kv_heads * head_dim;
  k.assign(BytesFor(dtype, elements).value(), kUnwritten);
  v = k;
}

KvView TestCache::View() {
  return {.k = k.data(),
          .v = v.data(),
          .dtype = dtype,
          .kv_heads = kv_heads,
          .head_dim = head_dim,
          .block_positions = block_positions};
}

KernelHarness::KernelHarness(std::span<const CpuKernel> table, std::string_view kernel,
                             std::span<const WeightLayout> layouts)
    : layouts_(layouts) {
  for (const CpuKernel& entry : table) {
    if (entry.info.name == kernel) kernel_ = &entry;
  }
  if (kernel_ == nullptr) ADD_FAILURE() << "no kernel " << kernel;
}

KernelHarness& KernelHarness::In(TestTensor tensor) {
  inputs_.push_back({tensor.type, std::move(tensor.bytes)});
  return *this;
}

KernelHarness& KernelHarness::Weight(TestTensor tensor) {
  In(std::move(tensor));
  inputs_.back().weight = true;
  return *this;
}

KernelHarness& KernelHarness::In(TestCache* cache) {
  inputs_.push_back({ValueType::Kv(cache->dtype, cache->kv_heads, cache->head_dim), {}, cache});
  return *this;
}

KernelHarness& KernelHarness::In(const Batch* batch) {
  inputs_.push_back({ValueType::Batch(), {}});
  batch_ = batch;
  return *this;
}

KernelHarness& KernelHarness::Attrs(std::vector<Attr> attrs) {
  attrs_ = std::move(attrs);
  return *this;
}

KernelHarness& KernelHarness::At(SymbolValues symbols) {
  symbols_ = symbols;
  return *this;
}

SymbolRanges KernelHarness::Ranges() const {
  SymbolRanges ranges;
  for (Symbol symbol : kAllSymbols) ranges[symbol] = {symbols_[symbol], symbols_[symbol]};
  return ranges;
}

TensorView KernelHarness::ViewOf(const ValueType& type, std::byte* data) const {
  TensorView view = {.data = data, .dtype = type.tensor.dtype, .rank = type.rank()};
  for (int axis = 0; axis < view.rank; ++axis) view.dims[axis] = type.dim(axis).At(symbols_);
  return view;
}

AlignedBytes KernelHarness::PlaceWeight(const Node& node, int input) const {
  const Input& weight = inputs_[input];
  for (const WeightLayout& layout : layouts_) {
    if (layout.name != WeightLayoutOf(kernel_->info, node, input)) continue;
    if (layout.pack == nullptr) break;
    const int64_t rows = weight.type.dim(-2).value(), columns = weight.type.dim(-1).value();
    const int64_t matrices = weight.type.rank() == 3 ? weight.type.dim(0).value() : 1;
    const uint64_t stride = PackedStride(layout.bytes(rows, columns));
    const uint64_t bytes = matrices == 1 ? layout.bytes(rows, columns) : stride * matrices;
    AlignedBytes packed(bytes, std::byte{0});
    // Panel by panel from the last, as threads may do it; rows are read at the alignment they have
    // in the file.
    const AlignedBytes file(weight.bytes, kFileAlignment);
    for (int64_t matrix = matrices - 1; matrix >= 0; --matrix) {
      const std::byte* from = file.data() + weight.bytes.size() / matrices * matrix;
      for (int64_t panel = (rows - 1) / layout.panel_rows; panel >= 0; --panel) {
        layout.pack(from, rows, columns, panel, panel + 1, packed.data() + stride * matrix);
      }
    }
    return packed;
  }
  return AlignedBytes(weight.bytes, kFileAlignment);
}

void KernelHarness::PlaceInputs(const Node& node) {
  for (int i = 0; i < static_cast<int>(inputs_.size()); ++i) {
    inputs_[i].memory = inputs_[i].weight ? PlaceWeight(node, i) : AlignedBytes(inputs_[i].bytes);
  }
}

namespace {

// Calls visit(byte, own) for each byte of a tensor.
template <class F>
void ForEachByte(const ValueType& type, const SymbolValues& symbols, const Partition& partition,
                 int64_t unit, F visit) {
  const int64_t bytes = static_cast<int64_t>(BytesAt(type.tensor, symbols).value());
  const int64_t extent = static_cast<int64_t>(partition.extent.At(symbols));
  const int64_t period = partition.domain == PartitionDomain::kColumns
                             ? type.dim(-1).At(symbols) * static_cast<int64_t>(sizeof(float))
                             : bytes;
  const int64_t first = unit * partition.granule * period / extent;
  const int64_t last = std::min(extent, (unit + 1) * partition.granule) * period / extent;
  for (int64_t i = 0; i < bytes; ++i) visit(i, i % period >= first && i % period < last);
}

}  // namespace

void KernelHarness::DamageOtherParts(const Partition& partition, int64_t unit) {
  for (int32_t i : partition.own_inputs) {
    if (inputs_[i].weight) continue;
    ForEachByte(inputs_[i].type, symbols_, partition, unit, [&](int64_t at, bool own) {
      if (!own) inputs_[i].memory.data()[at] = std::byte{0xff};
    });
  }
}

// Checks that a unit gives the same result whatever the parts that are not its own contain, and
// that it writes only to its own.
void KernelHarness::CheckPartition(const Node& node, const std::vector<TestTensor>& expected) {
  if (kernel_->info.partition == nullptr) return;
  const Partition partition = kernel_->info.partition(node);
  EXPECT_TRUE(partition.is_cut()) << kernel_->info.name;
  if (partition.own_results.empty() && partition.own_inputs.empty()) return;
  const double units = std::ceil(partition.extent.At(symbols_) / partition.granule);
  EXPECT_EQ(num_units_, static_cast<int64_t>(units)) << kernel_->info.name;
  for (int64_t unit : std::set<int64_t>{0, num_units_ / 2, num_units_ - 1}) {
    const std::vector<TestTensor> found = RunOnce(How::kOneUnit, node, unit);
    size_t tensor = 0;
    for (int i = 0; i < node.num_results(); ++i) {
      if (!node.result(i).type.is_tensor()) continue;
      const size_t at = tensor++;
      if (!partition.OwnsResult(i)) continue;
      int64_t wrong = 0;
      ForEachByte(node.result(i).type, symbols_, partition, unit, [&](int64_t byte, bool own) {
        wrong += found[at].bytes[byte] != (own ? expected[at].bytes[byte] : kUnwritten);
      });
      EXPECT_EQ(wrong, 0) << "bytes of result " << i << " of " << kernel_->info.name << ", unit "
                          << unit << " of " << num_units_;
    }
  }
}

std::vector<TestTensor> KernelHarness::RunOnce(How how, const Node& node, int64_t unit) {
  PlaceInputs(node);
  if (how == How::kOneUnit) DamageOtherParts(kernel_->info.partition(node), unit);
  std::vector<Operand> ins;
  for (Input& input : inputs_) {
    Operand operand;
    if (input.type.is_tensor()) operand.tensor = ViewOf(input.type, input.memory.data());
    if (input.cache != nullptr) operand.kv = input.cache->View();
    ins.push_back(operand);
  }
  std::vector<Operand> outs;
  std::vector<AlignedBytes> outputs;
  for (const ValueType& type : node.ResultTypes()) {
    if (!type.is_tensor()) {
      outs.push_back(ins[node.op().traits.aliases_input]);
      outputs.emplace_back();
      continue;
    }
    const uint64_t bytes = BytesAt(type.tensor, symbols_).value();
    if (how == How::kRowsApart) {
      TensorView view = ViewOf(type, nullptr);
      outputs.emplace_back(bytes + view.rows() * kGap * sizeof(float), kUnwritten);
      view.data = outputs.back().data() + kGap * sizeof(float);
      view.row_stride = view.columns() + kGap;
      outs.push_back({view, {}});
      continue;
    }
    outputs.emplace_back(bytes, kUnwritten);
    outs.push_back({ViewOf(type, outputs.back().data()), {}});
  }
  if (how == How::kInPlace) {
    const int input = node.op().traits.in_place_input;
    std::memcpy(outputs[0].data(), inputs_[input].bytes.data(), outputs[0].size());
    ins[input].tensor.data = outputs[0].data();
  }
  const KernelInfo& info = kernel_->info;
  AlignedBytes workspace, scratch;
  if (info.workspace_bytes) workspace = {info.workspace_bytes(node, Ranges()), kUnwritten};
  if (info.scratch_bytes) scratch = {info.scratch_bytes(node, Ranges()), kUnwritten};
  const std::shared_ptr<const void> constants =
      kernel_->bind == nullptr ? nullptr : kernel_->bind(node);
  KernelArgs args = {ins, outs, attrs_, batch_, workspace.data(), scratch.data(), constants.get()};
  for (const CpuPhase& phase : kernel_->phases()) {
    const int64_t units = UnitsOf(phase, args);
    const bool is_run = phase.run == kernel_->run;
    if (is_run) num_units_ = units;
    if (how == How::kByUnit) {
      for (int64_t u = units - 1; u >= 0; --u) phase.run(args, u, u + 1);
    } else if (how == How::kOneUnit && is_run) {
      phase.run(args, unit, unit + 1);
    } else if (units > 0) {
      phase.run(args, 0, units);
    }
  }
  std::vector<TestTensor> results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const ValueType& type = node.result(static_cast<int>(i)).type;
    if (type.is_tensor()) results.push_back(ResultOf(type, outs[i].tensor, outputs[i]));
  }
  return results;
}

TestTensor KernelHarness::ResultOf(const ValueType& type, const TensorView& view,
                                   const AlignedBytes& memory) {
  const std::span<const std::byte> bytes = memory.bytes();
  TestTensor result = {type, {bytes.begin(), bytes.end()}};
  if (view.row_stride == 0) return result;
  result.bytes.clear();
  const auto gap = static_cast<int64_t>(kGap * sizeof(float));
  const auto row = static_cast<int64_t>(view.columns() * sizeof(float));
  for (auto at = bytes.begin(); at != bytes.end(); at += gap + row) {
    EXPECT_EQ(std::count(at, at + gap, kUnwritten), gap) << "written between the rows";
    result.bytes.insert(result.bytes.end(), at + gap, at + gap + row);
  }
  return result;
}

std::vector<TestTensor> KernelHarness::Run() {
  if (kernel_ == nullptr) return {};
  Graph graph;
  std::vector<Value> values;
  TestCache* cache = nullptr;
  for (const Input& input : inputs_) {
    values.push_back(graph.AddInput(StrCat("x", values.size()), input.type)->output());
    if (input.cache != nullptr) cache = input.cache;
    if (input.type.is_tensor()) {
      EXPECT_EQ(input.bytes.size(), BytesAt(input.type.tensor, symbols_)) << values.size() - 1;
    }
  }
  GraphBuilder builder(&graph);
  const Node* node = builder.Emit(*kernel_->info.op, values, attrs_);
  EXPECT_TRUE(builder.status().ok()) << builder.status();
  if (node == nullptr || ::testing::Test::HasFailure()) return {};
  const Decision decision = kernel_->info.accepts(*node);
  EXPECT_TRUE(decision.accepted()) << decision.reason();

  const std::optional<TestCache> before = cache ? std::optional(*cache) : std::nullopt;
  std::vector<TestTensor> expected = RunOnce(How::kAtOnce, *node);
  const std::optional<TestCache> after = cache ? std::optional(*cache) : std::nullopt;
  for (How how : {How::kByUnit, How::kInPlace, How::kRowsApart}) {
    if (how == How::kInPlace && node->op().traits.in_place_input < 0) continue;
    if (how == How::kRowsApart && !kernel_->info.strided_rows) continue;
    if (cache != nullptr) *cache = *before;
    const std::vector<TestTensor> found = RunOnce(how, *node);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(found[i].bytes, expected[i].bytes) << "result " << i
                                                   << (how == How::kByUnit    ? " unit by unit"
                                                       : how == How::kInPlace ? " in place"
                                                                              : " with rows apart");
    }
    if (cache != nullptr) {
      EXPECT_EQ(cache->k, after->k);
      EXPECT_EQ(cache->v, after->v);
    }
  }
  const std::optional<TestCache> end = cache ? std::optional(*cache) : std::nullopt;
  if (cache != nullptr) *cache = *before;
  CheckPartition(*node, expected);
  if (cache != nullptr) *cache = *end;
  return expected;
}

}  // namespace infer
