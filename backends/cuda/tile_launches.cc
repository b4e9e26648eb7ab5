// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/tile_launches.h"

#include <algorithm>

#include "backends/cuda/few_launches.h"
#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

// x as 16-bit rows, and the factor of each row, in the workspace.
struct ConvertedRows {
  uint16_t* rows;
  float* scales;
};
uint64_t ConvertedBytes(int64_t tokens, int64_t columns) {
  return static_cast<uint64_t>(tokens) * static_cast<uint64_t>(columns) * 2;
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
int64_t ColumnSplits(int64_t columns, int64_t tiles) {
  return std::clamp<int64_t>(kSplitBlocks / tiles, 1, MostSplits(columns));
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
  args.splits = static_cast<uint32_t>(ColumnSplits(product.columns(), parts.blocks * token_tiles));
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

}  // namespace

uint64_t ConvertedRegion(int64_t tokens, int64_t columns) {
  const uint64_t bytes = ConvertedBytes(tokens, columns) + static_cast<uint64_t>(tokens) * 4;
  return (bytes + 15) / 16 * 16;
}

uint64_t PartialBytes(int64_t tokens, int64_t columns, int64_t blocks) {
  const int64_t most = MostSplits(columns);
  if (most == 1) return 0;
  return static_cast<uint64_t>(std::min(TileTokens(tokens) * kSplitBlocks, tokens * most * blocks) *
                               kMatmatOutputs) *
         sizeof(float);
}

void AddMatmats(const Product& product, bool few, std::vector<Launch>& out) {
  ConvertedRows converted[2] = {};  // to f16, to bf16
  std::byte* partials =
      product.workspace + 2 * ConvertedRegion(product.tokens(), product.columns());
  ForEachGroup(product, [&](const WeightType& type, const auto& group) {
    if (!type.rounds) {
      AddMatvec(type, product, group, {}, out);
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

}  // namespace infer::cuda
