// SPDX-License-Identifier: Apache-2.0
//
// linear and multi_linear. Few rows of x multiply weights from memory directly; from kMatrixRows on
// tensor cores multiply tiles, after x has been converted to 16 bits.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "backends/cuda/kernel_rows.h"
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
constexpr int64_t kWarps = kMatvecThreads / 32;

// How one token's rows are read: outputs of a warp, and its loads of a row before the wait.
struct RowShape {
  std::string_view suffix;
  int64_t rows;
};

RowShape ShapeOf(const WeightType& type, int64_t columns) {
  const int64_t steps = CeilDiv(columns, 32 * type.unit_elements);
  if (steps <= 2) return {"_r4s2", 4};
  return steps <= 4 || steps == 8 ? RowShape{"_r2s4", 2} : RowShape{"_r2s6", 2};
}

// Bytes of x in shared memory, rounded to int8 with its scales and sums.
uint64_t Int8Bytes(int64_t tokens, int64_t columns) {
  return static_cast<uint64_t>(tokens * (columns + columns / 8 + columns / 4));
}

// Tokens of a block: 1, 2, 4 or 8.
int64_t TokensOfBlock(int64_t tokens) {
  int64_t most = 1;
  while (most < 8 && most < tokens) most *= 2;
  return most;
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

void AddMatvec(const WeightType& type, const TensorView& x, const Parts& parts,
               unsigned char* rounded, int64_t tokens_of_block, std::string_view suffix,
               std::vector<Launch>& out) {
  MatvecArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.x = x.f32();
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(x.rows());
  args.columns = static_cast<uint32_t>(x.columns());
  args.rounded = rounded;
  const uint64_t shared = IsPacked(type) && tokens_of_block == 1 ? Int8Bytes(1, x.columns()) : 0;
  AddLaunch(type.module, StrCat("matvec_", type.name, suffix), args,
            {parts.blocks, CeilDiv(x.rows(), tokens_of_block)}, kMatvecThreads, shared, out);
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

// Tokens of a tile: a grid should have at least as many blocks as a large card has multiprocessors.
int64_t TileTokens(int64_t tokens, uint32_t output_tiles) {
  if (tokens <= 32) return 32;
  if (tokens <= 64) return 64;
  return static_cast<int64_t>(CeilDiv(tokens, 128)) * output_tiles >= 132 ? 128 : 64;
}

void AddMatmat(const WeightType& type, const TensorView& x, const ConvertedRows& converted,
               const Parts& parts, std::vector<Launch>& out) {
  MatmatArgs args = {};
  std::ranges::copy(parts.parts, args.parts);
  args.x = converted.rows;
  args.scales = converted.scales;
  args.num_parts = parts.count;
  args.tokens = static_cast<uint32_t>(x.rows());
  args.columns = static_cast<uint32_t>(x.columns());
  const int64_t tile = TileTokens(x.rows(), parts.blocks);
  const uint64_t shared = 2 * static_cast<uint64_t>(tile + kMatmatOutputs) * (kMatmatInner + 8) * 2;
  AddLaunch(type.module, StrCat("matmat_", type.name, "_m", tile), args,
            {parts.blocks, CeilDiv(x.rows(), tile)}, kMatmatThreads, shared, out);
}

// Weights [1, ...) of the node, those of a type together, in groups that fit into one launch.
template <class F>
void ForEachGroup(const KernelArgs& args, F add) {
  const int count = static_cast<int>(args.outputs.size());
  for (const WeightType& type : kWeightTypes) {
    absl::InlinedVector<int, kMaxParts> group;
    for (int i = 0; i < count; ++i) {
      if (args.in(1 + i).dtype != type.dtype) continue;
      group.push_back(i);
      if (group.size() == kMaxParts) {
        add(type, group);
        group.clear();
      }
    }
    if (!group.empty()) add(type, group);
  }
}

void LaunchLinear(const KernelArgs& args, const DeviceBatch&, std::vector<Launch>& out) {
  const TensorView& x = args.in(0);
  const int64_t tokens = x.rows(), columns = x.columns();
  if (tokens == 0) return;
  ConvertedRows converted[2] = {};  // to f16, to bf16
  unsigned char* rounded = nullptr;
  ForEachGroup(args, [&](const WeightType& type, const auto& group) {
    const bool matrix = tokens >= kMatrixRows && type.rounds;
    const int64_t of_block = TokensOfBlock(tokens);
    RowShape shape = ShapeOf(type, columns);
    if (of_block == 2) shape = {"_t2", 2};
    if (of_block == 4) shape = {"_t4", 2};
    if (of_block == 8) shape = {"_t8", 2};
    Parts parts;
    for (int i : group) {
      parts.Add(type, args.in(1 + i), args.out(i), matrix ? kMatmatOutputs : kWarps * shape.rows);
    }
    if (!matrix) {
      if (IsPacked(type) && tokens > 1 && rounded == nullptr) {
        rounded = reinterpret_cast<unsigned char*>(args.workspace);
        const RoundArgs round = {rounded, x.f32(), static_cast<uint32_t>(tokens),
                                 static_cast<uint32_t>(columns)};
        AddLaunch("convert", "round_int8", round, {static_cast<uint32_t>(tokens)}, kMatvecThreads,
                  0, out);
      }
      AddMatvec(type, x, parts, rounded, of_block, shape.suffix, out);
      return;
    }
    const bool bf16 = type.dtype == DType::kBF16;
    if (converted[bf16].rows == nullptr) {
      std::byte* to = args.workspace + (bf16 ? ConvertedRegion(tokens, columns) : 0);
      converted[bf16] = AddConvert(bf16, x, to, out);
    }
    AddMatmat(type, x, converted[bf16], parts, out);
  });
}

// Rows of x in int8, or in both f16 and bf16.
uint64_t Workspace(const Node& node, const SymbolRanges& symbols) {
  const ValueType& x = node.input(0).type();
  const Dim rows = x.dim(0);
  Range range = rows.is_symbol() ? symbols[rows.symbol()] : Range{rows.value(), rows.value()};
  if (!range.is_set()) range = {1, 1};
  if (range.max == 1 || range.max >= kManyRows) return 0;
  return 2 * ConvertedRegion(range.max, x.dim(1).value());  // int8 takes less
}

void Modules(const Node& node, std::vector<std::string_view>& out) {
  out.push_back("convert");
  for (const Value& weight : node.inputs().subspan(1)) {
    out.push_back(FindWeight(weight.type().tensor.dtype)->module);
  }
}

std::string_view Layout(const Node& node, int input) {
  if (input == 0) return kGgufLayout;
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
  for (const Value& weight : node.inputs().subspan(1)) {
    Decision decision = AcceptsWeight(weight.type());
    if (!decision.accepted()) return decision;
  }
  return Decision::Accept();
}

constexpr CudaKernel Product(std::string_view name, const OpDef* op,
                             Decision (*accepts)(const Node&), bool rounds) {
  CudaKernel kernel = Kernel(name, op, accepts, Modules, LaunchLinear);
  kernel.info.rounds_activations = rounds;
  kernel.info.weight_layout = Layout;
  kernel.info.workspace_bytes = Workspace;
  return kernel;
}

constexpr auto kTable = []<size_t... kAt>(std::index_sequence<kAt...>) {
  return std::array{Product(KernelName<"linear", kWeightTypes[kAt].dtype, "cuda">, &ops::kLinear,
                            AcceptsOne<kWeightTypes[kAt].dtype>, kWeightTypes[kAt].rounds)...,
                    Product("multi_linear_cuda", &ops::kMultiLinear, AcceptsAll, true)};
}(std::make_index_sequence<std::size(kWeightTypes)>());

}  // namespace

std::span<const CudaKernel> LinearTable() { return kTable; }

}  // namespace infer::cuda
