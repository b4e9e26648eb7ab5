// SPDX-License-Identifier: Apache-2.0
//
// linear, multi_linear and what is joined with them: linear_add, norm_linear and norm_swiglu. One
// row of x streams the weights, with norm, residual and swiglu in the same launch. Up to kFewTokens
// rows multiply weights from memory directly on tensor cores, many rows by tiles, after x has been
// converted to int8 or 16 bits. Invariant kernels, and rows of an odd length, have products without
// tensor cores, with the bits of one row. All but one row have launches of their own before and
// after the product.
#include <algorithm>
#include <array>
#include <bit>
#include <iterator>
#include <numeric>
#include <utility>

#include "backends/cuda/kernel_rows.h"
#include "backends/cuda/row_launches.h"
#include "backends/cuda/weight_types.h"
#include "backends/formats/kernel_name.h"
#include "ir/base/strings.h"
#include "ir/ops/ops.h"

namespace infer::cuda {
namespace {

constexpr int64_t kMatrixRows = 9;
constexpr int64_t kManyRows = int64_t{1} << 40;  // more than any call has
constexpr uint64_t kSharedLimit = 48 * 1024;     // that every launch may use
constexpr int64_t kInnerGranule = 32;
constexpr int64_t kWarps = kMatvecThreads / 32, kStreamWarps = kStreamThreads / 32;
constexpr int64_t kMultiprocessors = 132;  // of a large card
constexpr int64_t kOutputsOfWarp = 2;      // of products of a few rows

// A product with what comes before and after it.
struct Product {
  TensorView x;
  absl::InlinedVector<TensorView, kMaxParts> weights;
  absl::InlinedVector<TensorView, kMaxParts> results;  // one if gated
  const float* norm = nullptr;
  float eps = 0;
  const float* residual = nullptr;
  bool gated = false;      // the weights are gate and up
  bool invariant = false;  // a row has the same bits whatever the number of rows
  std::byte* workspace = nullptr;

  int64_t tokens() const { return x.rows(); }
  int64_t columns() const { return x.columns(); }
};

uint64_t Aligned(uint64_t bytes) { return (bytes + 15) / 16 * 16; }
uint64_t FloatBytes(int64_t rows, int64_t columns) {
  return Aligned(static_cast<uint64_t>(rows) * static_cast<uint64_t>(columns) * sizeof(float));
}

// Bytes of x rounded to int8, with its scales and sums.
uint64_t Int8Bytes(int64_t tokens, int64_t columns) {
  return static_cast<uint64_t>(tokens * (columns + columns / 8 + columns / 4));
}

// Tokens of a block: 1, 2, 4 or 8.
int64_t TokensOfBlock(int64_t tokens) {
  int64_t most = 1;
  while (most < 8 && most < tokens) most *= 2;
  return most;
}

// The piece of rows that a warp reads at once; see kernels/stream.h.
struct PieceShape {
  int64_t rows, steps;
};

// `rows`: of all parts; `granule`: divides the rows of each.
PieceShape PieceOf(const WeightType& type, int64_t columns, int64_t rows, int64_t granule) {
  const int64_t units = columns / type.unit_elements, steps = CeilDiv(units, 32);
  const int64_t least = type.unit_elements == 32 ? 1 : 2;
  for (int64_t together : {4, 2}) {
    // Several rows at once only if all warps of the card have some.
    const bool fills = rows >= together * kStreamWarps * kMultiprocessors * 3 / 4;
    if (units == 32 * steps && steps * together == 4 * least && granule % together == 0 && fills) {
      return {together, steps};
    }
  }
  return {1, steps == 3 * least ? steps : 4};
}

uint64_t UnitBytes(const WeightType& type) {
  return static_cast<uint64_t>(16 + type.high_bytes + (IsPacked(type) ? 4 : 0) +
                               (type.has_supers ? 4 : 0));
}

// Shared memory of a streamed product, before the ring of pieces.
struct StreamMemory {
  uint64_t norm_offset, ring_offset;
};
StreamMemory StreamMemoryOf(const WeightType& type, int64_t columns, bool normed) {
  const uint64_t x = IsPacked(type) ? Int8Bytes(1, columns) : FloatBytes(1, columns);
  const uint64_t norm_offset = kStreamScratchBytes + Aligned(x);
  return {norm_offset, norm_offset + (normed ? FloatBytes(1, columns) : 0)};
}

// Parts with weights of one type.
struct Parts {
  PartArgs parts[kMaxParts] = {};
  uint32_t count = 0;
  uint32_t blocks = 0;

  void Add(const WeightType& type, const TensorView& weight, const TensorView& result,
           int64_t outputs_of_block) {
    PartArgs& part = parts[count++];
    part.weight = WeightArgsOf(type, weight.data, weight.rows(), weight.columns());
    part.out = result.mutable_f32();
    part.rows = static_cast<uint32_t>(weight.rows());
    part.first_block = blocks;
    blocks += CeilDiv(weight.rows(), outputs_of_block);
  }
};

// The weights of a type together, in groups that fit into one launch.
template <class F>
void ForEachGroup(const Product& product, F add) {
  for (const WeightType& type : kWeightTypes) {
    absl::InlinedVector<int, kMaxParts> group;
    for (int i = 0; i < static_cast<int>(product.weights.size()); ++i) {
      if (product.weights[i].dtype != type.dtype) continue;
      group.push_back(i);
      if (group.size() == kMaxParts) {
        add(type, group);
        group.clear();
      }
    }
    if (!group.empty()) add(type, group);
  }
}

Parts PartsOf(const WeightType& type, const Product& product, std::span<const int> group,
              int64_t outputs_of_block) {
  Parts parts;
  for (int i : group) {
    parts.Add(type, product.weights[i], product.results[i], outputs_of_block);
  }
  return parts;
}

// Adds nothing and returns false if a block of the card has too little shared memory for it.
bool AddStream(const WeightType& type, const Product& product, std::span<const int> group,
               uint64_t max_shared_bytes, std::vector<Launch>& out) {
  StreamArgs args = {};
  int64_t rows = 0, granule = 0;
  for (int i : group) {
    rows += product.weights[i].rows();
    granule = std::gcd(granule, product.weights[i].rows());
  }
  // Rows of gate and up are read together.
  const PieceShape piece =
      PieceOf(type, product.columns(), rows, product.gated ? 2 * granule : granule);
  const int64_t weights_of_output = product.gated ? 2 : 1;
  const int64_t outputs = std::max<int64_t>(piece.rows / weights_of_output, 1);
  // Two blocks for each multiprocessor.
  const int64_t warps = 2 * kMultiprocessors * kStreamWarps;
  const int64_t of_warp = CeilDiv(CeilDiv(rows / weights_of_output, warps), outputs) * outputs;
  uint32_t blocks = 0, number = 0;
  for (int i : group) {
    PartArgs& part = args.parts[number++];
    const TensorView& weight = product.weights[i];
    part.weight = WeightArgsOf(type, weight.data, weight.rows(), weight.columns());
    part.out = product.results[product.gated ? 0 : i].mutable_f32();
    part.rows = static_cast<uint32_t>(weight.rows());
    part.first_block = blocks;
    if (!product.gated || number == 1) blocks += CeilDiv(weight.rows(), of_warp * kStreamWarps);
  }
  for (; number < kMaxParts; ++number) args.parts[number].first_block = blocks;
  const StreamMemory memory = StreamMemoryOf(type, product.columns(), product.norm != nullptr);
  args.x = product.x.f32();
  args.norm = product.norm;
  args.residual = product.residual;
  args.columns = static_cast<uint32_t>(product.columns());
  args.rows_of_warp = static_cast<uint32_t>(of_warp);
  args.eps = product.eps;
  args.inverse_columns = 1.0f / static_cast<float>(product.columns());
  args.norm_offset = static_cast<uint32_t>(memory.norm_offset);
  args.ring_offset = static_cast<uint32_t>(memory.ring_offset);
  const int64_t steps = CeilDiv(product.columns(), 32 * type.unit_elements);
  const int64_t pieces = CeilDiv(of_warp * weights_of_output, piece.rows) *
                         static_cast<int64_t>(CeilDiv(steps, piece.steps));
  const int64_t stages = std::min<int64_t>(pieces, kStreamStages);
  const uint64_t ring =
      static_cast<uint64_t>(stages * piece.rows * piece.steps) * UnitBytes(type) * kStreamThreads;
  if (memory.ring_offset + ring > max_shared_bytes) return false;
  AddLaunch(type.module,
            StrCat("stream_", type.name, "_r", piece.rows, "s", piece.steps,
                   product.gated ? "_gated" : ""),
            args, {blocks}, kStreamThreads, memory.ring_offset + ring, out);
  return true;
}

void AddMatvec(const WeightType& type, const Product& product, const Parts& parts,
               const PrepareArgs& prepared, std::vector<Launch>& out) {
  const int64_t of_block = TokensOfBlock(product.tokens());
  MatvecArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.x = prepared.normed == nullptr ? product.x.f32() : prepared.normed;
  args.factors = prepared.factors;
  args.residual = product.residual;
  args.rounded = prepared.rounded;
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(product.tokens());
  args.columns = static_cast<uint32_t>(product.columns());
  AddLaunch(type.module, StrCat("matvec_", type.name, "_t", of_block), args,
            {parts.blocks, CeilDiv(product.tokens(), of_block)}, kMatvecThreads, 0, out);
}

// Products on tensor cores of rows of x in int8 or 16 bits, each with its factor.
void AddFew(const WeightType& type, const Product& product, std::span<const int> group,
            unsigned char* rows, const float* factors, std::vector<Launch>& out) {
  int64_t outputs = 0;
  for (int i : group) outputs += product.weights[i].rows();
  // Two blocks for each multiprocessor, so that each computes the next outputs while it waits.
  const int64_t of_block =
      CeilDiv(outputs, 2 * kMultiprocessors * kFewOutputs) * int64_t{kFewOutputs};
  const Parts parts = PartsOf(type, product, group, of_block);
  MatvecArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.factors = factors;
  args.residual = product.residual;
  args.rounded = rows;
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(product.tokens());
  args.columns = static_cast<uint32_t>(product.columns());
  args.outputs_of_block = static_cast<uint32_t>(of_block);
  const int64_t tokens = std::max<int64_t>(8, std::bit_ceil(args.tokens));
  const uint64_t shared = static_cast<uint64_t>(kFewThreads / 32 * tokens * (kFewOutputs + 4)) * 4;
  AddLaunch(type.module, StrCat("few_", type.name, "_t", tokens), args, {parts.blocks}, kFewThreads,
            shared, out);
}

// x as 16-bit rows, and the factor of each row, in the workspace.
struct ConvertedRows {
  uint16_t* rows;
  float* scales;
};
uint64_t ConvertedBytes(int64_t tokens, int64_t columns) {
  return static_cast<uint64_t>(tokens) * static_cast<uint64_t>(columns) * 2;
}
uint64_t ConvertedRegion(int64_t tokens, int64_t columns) {
  const uint64_t bytes = ConvertedBytes(tokens, columns) + static_cast<uint64_t>(tokens) * 4;
  return (bytes + 15) / 16 * 16;
}

ConvertedRows AddConvert(bool bf16, const TensorView& x, std::byte* workspace,
                         std::vector<Launch>& out) {
  const ConvertedRows rows = {
      reinterpret_cast<uint16_t*>(workspace),
      reinterpret_cast<float*>(workspace + ConvertedBytes(x.rows(), x.columns()))};
  const ConvertArgs args = {rows.rows, rows.scales, x.f32(), static_cast<uint32_t>(x.columns())};
  AddLaunch("convert", bf16 ? "convert_bf16" : "convert_f16", args,
            {static_cast<uint32_t>(x.rows())}, kRowThreads, 32 * sizeof(uint32_t), out);
  return rows;
}

int64_t TileTokens(int64_t tokens) { return tokens <= 32 ? 32 : tokens <= 64 ? 64 : 128; }

// Shares of the columns that have blocks of their own, where whole tiles would leave most of the
// card idle.
constexpr int64_t kMostSplits = 8, kSplitBlocks = 2 * kMultiprocessors;
int64_t MostSplits(int64_t columns) {
  const int64_t steps = CeilDiv(columns, kMatmatInner);
  return std::clamp<int64_t>(steps / 2, 1, kMostSplits);
}
int64_t SplitsOf(int64_t columns, int64_t tiles) {
  return std::clamp<int64_t>(kSplitBlocks / tiles, 1, MostSplits(columns));
}
// For weights with this many blocks of outputs together, in groups of any size.
uint64_t PartialBytes(int64_t tokens, int64_t columns, int64_t blocks) {
  const int64_t most = MostSplits(columns);
  if (most == 1) return 0;
  return static_cast<uint64_t>(std::min(TileTokens(tokens) * kSplitBlocks, tokens * most * blocks) *
                               kMatmatOutputs) *
         sizeof(float);
}

void AddMatmat(const WeightType& type, const Product& product, const ConvertedRows& converted,
               const Parts& parts, float* partials, std::vector<Launch>& out) {
  MatmatArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.x = converted.rows;
  args.residual = product.residual;
  args.scales = converted.scales;
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(product.tokens());
  args.columns = static_cast<uint32_t>(product.columns());
  const int64_t tile = TileTokens(product.tokens());
  const uint64_t stages = IsPacked(type) ? uint64_t{kMatmatStages} : uint64_t{kMatmatDirectStages};
  const uint64_t shared =
      stages * static_cast<uint64_t>(tile + kMatmatOutputs) * (kMatmatInner + 8) * 2;
  const uint32_t token_tiles = CeilDiv(product.tokens(), tile);
  args.splits = static_cast<uint32_t>(SplitsOf(product.columns(), parts.blocks * token_tiles));
  args.partials = partials;
  args.rows = parts.blocks * kMatmatOutputs;
  AddLaunch(type.module, StrCat("matmat_", type.name, "_m", tile), args,
            {parts.blocks, token_tiles, args.splits}, kMatmatThreads, shared, out);
  if (args.splits == 1) return;
  MergeArgs merge = {};
  std::ranges::copy(parts.parts, merge.parts);
  merge.residual = product.residual;
  merge.partials = partials;
  merge.num_parts = parts.count;
  merge.tokens = args.tokens;
  merge.rows = args.rows;
  merge.splits = args.splits;
  AddLaunch("convert", "merge_splits", merge,
            {CeilDiv(int64_t{merge.tokens} * merge.rows, kElementThreads)}, kElementThreads, 0,
            out);
}

// Norm, products and residual of few rows; without tensor cores with the bits of AddStream.
void AddMatvecs(const Product& product, bool tensor_cores, std::vector<Launch>& out) {
  const int64_t tokens = product.tokens(), columns = product.columns();
  bool rounds = false, floats = false;
  for (const TensorView& weight : product.weights) {
    (IsPacked(*FindWeight(weight.dtype)) ? rounds : floats) = true;
  }
  std::byte* at = product.workspace;
  const auto take = [&at](uint64_t bytes) { return std::exchange(at, at + Aligned(bytes)); };
  PrepareArgs prepare = {};
  prepare.x = product.x.f32();
  prepare.norm = product.norm;
  prepare.tokens = static_cast<uint32_t>(tokens);
  prepare.columns = static_cast<uint32_t>(columns);
  prepare.eps = product.eps;
  prepare.inverse_columns = 1.0f / static_cast<float>(columns);
  if (rounds) prepare.rounded = DeviceAddress<unsigned char>(take(Int8Bytes(tokens, columns)));
  if (product.norm != nullptr) {
    prepare.factors = DeviceAddress<float>(take(static_cast<uint64_t>(tokens) * sizeof(float)));
    if (floats) prepare.normed = DeviceAddress<float>(take(FloatBytes(tokens, columns)));
  }
  if (rounds || product.norm != nullptr) {
    AddLaunch("convert", "prepare_rows", prepare, {static_cast<uint32_t>(tokens)}, kStreamThreads,
              kStreamScratchBytes, out);
  }
  ForEachGroup(product, [&](const WeightType& type, const auto& group) {
    if (tensor_cores) {
      AddFew(type, product, group, prepare.rounded, prepare.factors, out);
    } else {
      AddMatvec(type, product, PartsOf(type, product, group, kWarps * kOutputsOfWarp), prepare,
                out);
    }
  });
}

// Products of rows in 16 bits and nothing else but a residual, by tiles if there are many.
void AddMatmats(const Product& product, bool few, std::vector<Launch>& out) {
  ConvertedRows converted[2] = {};  // to f16, to bf16
  std::byte* partials =
      product.workspace + 2 * ConvertedRegion(product.tokens(), product.columns());
  ForEachGroup(product, [&](const WeightType& type, const auto& group) {
    if (!type.rounds) {
      AddMatvec(type, product, PartsOf(type, product, group, kWarps * kOutputsOfWarp), {}, out);
      return;
    }
    const bool bf16 = type.dtype == DType::kBF16;
    if (converted[bf16].rows == nullptr) {
      std::byte* to =
          product.workspace + (bf16 ? ConvertedRegion(product.tokens(), product.columns()) : 0);
      converted[bf16] = AddConvert(bf16, product.x, to, out);
    }
    if (few) {
      AddFew(type, product, group, reinterpret_cast<unsigned char*>(converted[bf16].rows),
             converted[bf16].scales, out);
    } else {
      AddMatmat(type, product, converted[bf16], PartsOf(type, product, group, kMatmatOutputs),
                DeviceAddress<float>(partials), out);
    }
  });
}

// One row of x, everything in one launch for each type; false, with nothing added, if that cannot
// be. Scales are copied in pairs.
bool AddStreams(const Product& product, uint64_t max_shared_bytes, std::vector<Launch>& out) {
  if (product.tokens() != 1 || product.columns() % 64 != 0) return false;
  const size_t before = out.size();
  bool all = true;
  ForEachGroup(product, [&](const WeightType& type, const auto& group) {
    all = all && AddStream(type, product, group, max_shared_bytes, out);
  });
  if (!all) out.resize(before);
  return all;
}

// Whether the product is one of few rows on tensor cores (kernels/few.h).
bool IsFew(const Product& product, const Batch& batch) {
  const auto is_packed = [](const TensorView& w) { return IsPacked(*FindWeight(w.dtype)); };
  const auto is_half = [](const TensorView& w) {
    return w.dtype == DType::kF16 || w.dtype == DType::kBF16;
  };
  return !product.invariant && !HasPrompt(batch) && product.tokens() <= int64_t{kFewTokens} &&
         product.columns() % int64_t{kFewColumns} == 0 &&
         (std::ranges::all_of(product.weights, is_packed) ||
          std::ranges::all_of(product.weights, is_half));
}

void AddProduct(Product product, const DeviceBatch& batch, std::vector<Launch>& out) {
  const int64_t tokens = product.tokens(), columns = product.columns();
  if (tokens == 0 || AddStreams(product, batch.max_shared_bytes, out)) return;
  const bool few = IsFew(product, *batch.host);
  // Whether x is converted to 16 bits; else to int8, or not at all.
  const bool halves = few ? !IsPacked(*FindWeight(product.weights[0].dtype))
                          : !product.invariant && tokens >= kMatrixRows;
  if (halves && product.norm != nullptr) {
    TensorView normed = product.x;
    normed.data = product.workspace;
    product.workspace += FloatBytes(tokens, columns);
    AddRmsNorm(product.x, product.norm, product.eps, normed, out);
    product.x = normed;
  }
  const TensorView result = product.results[0];
  if (product.gated) {
    product.results.assign(2, result);
    for (TensorView& view : product.results) {
      view.data = product.workspace;
      product.workspace += FloatBytes(tokens, result.columns());
    }
  }
  halves ? AddMatmats(product, few, out) : AddMatvecs(product, few, out);
  if (product.gated) AddSwiglu(product.results[0], product.results[1], result, !halves, out);
}

// `first`: the input with the first of `count` weights.
Product ProductOf(const KernelArgs& args, int first, int count) {
  Product product;
  product.x = args.in(0);
  for (int i = 0; i < count; ++i) product.weights.push_back(args.in(first + i));
  for (int i = 0; i < static_cast<int>(args.outputs.size()); ++i) {
    product.results.push_back(args.out(i));
  }
  product.workspace = args.workspace;
  return product;
}

template <bool kInvariant>
void LaunchLinear(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  Product product = ProductOf(args, 1, static_cast<int>(args.outputs.size()));
  product.invariant = kInvariant;
  AddProduct(std::move(product), batch, out);
}

template <bool kInvariant>
void LaunchLinearAdd(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  Product product = ProductOf(args, 1, 1);
  product.residual = args.in(2).f32();
  product.invariant = kInvariant;
  AddProduct(std::move(product), batch, out);
}

template <bool kGated, bool kInvariant>
void LaunchNormed(const KernelArgs& args, const DeviceBatch& batch, std::vector<Launch>& out) {
  Product product = ProductOf(args, 2, kGated ? 2 : static_cast<int>(args.outputs.size()));
  product.norm = args.in(1).f32();
  product.eps = static_cast<float>(ops::RmsNormEps(args.attrs));
  product.gated = kGated;
  product.invariant = kInvariant;
  AddProduct(std::move(product), batch, out);
}

bool IsMatrix(const Value& input) { return input.type().is_tensor() && input.type().rank() == 2; }

// The weights of the node: of all inputs but x and, of linear_add, the residual.
template <class F>
void ForEachWeight(const Node& node, F visit) {
  const size_t end = node.Is(ops::kLinearAdd) ? 2 : node.inputs().size();
  for (size_t i = 1; i < end; ++i) {
    if (IsMatrix(node.inputs()[i])) visit(node.inputs()[i].type());
  }
}

// Rows of x normed, the products of gate and up, and rows of x in int8 (with the factors of the
// norm) or in both f16 and bf16, and the partial sums of few tiles.
uint64_t Workspace(const Node& node, const SymbolRanges& symbols) {
  const ValueType& x = node.input(0).type();
  const Dim rows = x.dim(0);
  const int64_t columns = x.dim(1).value();
  Range range = rows.is_symbol() ? symbols[rows.symbol()] : Range{rows.value(), rows.value()};
  if (!range.is_set()) range = {1, 1};
  if (range.max >= kManyRows) return 0;
  uint64_t bytes = 2 * ConvertedRegion(range.max, columns);
  if (range.max >= kMatrixRows) {
    int64_t blocks = 0;
    ForEachWeight(node, [&](const ValueType& weight) {
      blocks += CeilDiv(weight.dim(0).value(), kMatmatOutputs);
    });
    bytes += PartialBytes(range.max, columns, blocks);
  }
  if (node.Is(ops::kNormLinear) || node.Is(ops::kNormSwiglu)) {
    bytes += FloatBytes(range.max, columns);
  }
  if (node.Is(ops::kNormSwiglu)) {
    bytes += 2 * FloatBytes(range.max, node.result().type.dim(1).value());
  }
  return bytes;
}

void Modules(const Node& node, std::vector<std::string_view>& out) {
  for (std::string_view module : {"convert", "rows", "elementwise"}) out.push_back(module);
  ForEachWeight(node, [&](const ValueType& weight) {
    out.push_back(FindWeight(weight.tensor.dtype)->module);
  });
}

std::string_view Layout(const Node& node, int input) {
  if (input == 0 || !IsMatrix(node.input(input)) || (node.Is(ops::kLinearAdd) && input == 2)) {
    return kGgufLayout;
  }
  return FindWeight(node.input(input).type().tensor.dtype)->layout;
}

Decision AcceptsWeight(const ValueType& weight) {
  if (FindWeight(weight.tensor.dtype) == nullptr) {
    return Decision::Reject(
        StrCat("the kernels have no product for ", Name(weight.tensor.dtype), " weights"));
  }
  if (weight.rank() != 2 || weight.dim(0).is_symbol() || weight.dim(1).is_symbol()) {
    return Decision::Reject("the weight must be a matrix of known size");
  }
  if (weight.dim(1).value() % kInnerGranule != 0) {
    return Decision::Reject(StrCat("weight rows of ", weight.dim(1).value(),
                                   " elements; the kernels read multiples of ", kInnerGranule));
  }
  if (Int8Bytes(1, weight.dim(1).value()) > kSharedLimit) {
    return Decision::Reject(StrCat("weight rows of ", weight.dim(1).value(),
                                   " elements do not fit into the shared memory of a block"));
  }
  return Decision::Accept();
}

template <DType kType>
Decision AcceptsOne(const Node& node) {
  const DType found = node.input(1).type().tensor.dtype;
  if (found != kType) {
    return Decision::Reject(StrCat("weight is ", Name(found), "; this kernel reads ", Name(kType)));
  }
  return AcceptsWeight(node.input(1).type());
}

Decision AcceptsAll(const Node& node) {
  Decision decision = Decision::Accept();
  ForEachWeight(node, [&](const ValueType& weight) {
    if (decision.accepted()) decision = AcceptsWeight(weight);
  });
  return decision;
}

// A normed row and the norm's weights stay in shared memory while one row of x is multiplied.
Decision AcceptsNormed(const Node& node) {
  Decision decision = AcceptsAll(node);
  if (!decision.accepted()) return decision;
  const int64_t columns = node.input(0).type().dim(1).value();
  ForEachWeight(node, [&](const ValueType& weight) {
    const WeightType& type = *FindWeight(weight.tensor.dtype);
    if (decision.accepted() && StreamMemoryOf(type, columns, true).ring_offset > kSharedLimit) {
      decision = Decision::Reject(
          StrCat("rows of ", columns, " elements do not fit into the shared memory of a block"));
    }
  });
  return decision;
}

Decision AcceptsGated(const Node& node) {
  const DType gate = node.input(2).type().tensor.dtype, up = node.input(3).type().tensor.dtype;
  if (gate != up) {
    return Decision::Reject(
        StrCat("gate is ", Name(gate), " and up is ", Name(up), "; the kernel reads one type"));
  }
  return AcceptsNormed(node);
}

constexpr CudaKernel Row(std::string_view name, const OpDef* op, Decision (*accepts)(const Node&),
                         bool rounds, decltype(CudaKernel::launch) launch) {
  CudaKernel kernel = Kernel(name, op, accepts, Modules, launch);
  kernel.info.rounds_activations = rounds;
  kernel.info.weight_layout = Layout;
  kernel.info.workspace_bytes = Workspace;
  return kernel;
}

constexpr CudaKernel InvariantRow(std::string_view name, const OpDef* op,
                                  Decision (*accepts)(const Node&), bool rounds,
                                  decltype(CudaKernel::launch) launch) {
  CudaKernel kernel = Row(name, op, accepts, rounds, launch);
  kernel.info.numerics = [](const Node&, Range) { return std::string("lanes"); };
  return kernel;
}

// Invariant kernels come last: placement takes the first that qualifies.
constexpr auto kTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{
      Row(KernelName<"linear", kWeightTypes[kAt].dtype, "cuda">, &ops::kLinear,
          AcceptsOne<kWeightTypes[kAt].dtype>, kWeightTypes[kAt].rounds, LaunchLinear<false>)...,
      Row("multi_linear_cuda", &ops::kMultiLinear, AcceptsAll, true, LaunchLinear<false>),
      Row("linear_add_cuda", &ops::kLinearAdd, AcceptsAll, true, LaunchLinearAdd<false>),
      Row("norm_linear_cuda", &ops::kNormLinear, AcceptsNormed, true, LaunchNormed<false, false>),
      Row("norm_swiglu_cuda", &ops::kNormSwiglu, AcceptsGated, true, LaunchNormed<true, false>),
      InvariantRow(KernelName<"linear", kWeightTypes[kAt].dtype, "invariant_cuda">, &ops::kLinear,
                   AcceptsOne<kWeightTypes[kAt].dtype>, IsPacked(kWeightTypes[kAt]),
                   LaunchLinear<true>)...,
      InvariantRow("multi_linear_invariant_cuda", &ops::kMultiLinear, AcceptsAll, true,
                   LaunchLinear<true>),
      InvariantRow("linear_add_invariant_cuda", &ops::kLinearAdd, AcceptsAll, true,
                   LaunchLinearAdd<true>),
      InvariantRow("norm_linear_invariant_cuda", &ops::kNormLinear, AcceptsNormed, true,
                   LaunchNormed<false, true>),
      InvariantRow("norm_swiglu_invariant_cuda", &ops::kNormSwiglu, AcceptsGated, true,
                   LaunchNormed<true, true>)};
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

std::span<const CudaKernel> LinearTable() { return kTable; }

}  // namespace infer::cuda
