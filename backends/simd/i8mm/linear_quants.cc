// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights: one row as at level dotprod, more rows by pairs. One numerics
// class for any number of rows.
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/quad_product.h"
#include "backends/simd/panels/int8_product.h"

namespace infer::simd::i8mm {
namespace {

// Chunks whose weights stay in L1 while the quads of a panel, or many rows, pass over them: 1024
// elements of 32 columns are 40 KiB as copies.
constexpr int64_t kBlockChunks = 32;
// Rows that pass over a copy; their sums are in the scratch memory between blocks.
constexpr int64_t kMostTilesAtOnce = 32;
constexpr int64_t kQuadSumFloats = kTilePairs * 8;

template <PanelFormat kFormat>
constexpr int64_t kCopyBytes = kBlockChunks * kQuads * kShapeOf<kFormat>.ChunkBytes();

template <PanelFormat kFormat>
uint64_t ScratchBytes(int64_t tokens, int64_t) {
  const int64_t tiles = Smaller(Tiles(tokens), kMostTilesAtOnce);
  return static_cast<uint64_t>(kCopyBytes<kFormat> + tiles * kQuads * kQuadSumFloats * 4);
}

// A block of chunks of one panel, and how the sums of its quads begin and end.
struct Block {
  int64_t first;
  int64_t chunks;
  bool is_first;
  bool is_last;
};

// Quads that are multiplied together: with few rows, so that there are sums enough that do not wait
// for each other, and whole cache lines are used.
constexpr int Together(int pairs) { return pairs == 1 ? 4 : pairs <= 3 ? 2 : 1; }

// What a tile of rows is multiplied with, and where the results of all columns of the panel go.
struct TileWork {
  PairTile tile;
  Block block;
  float* saved;  // the sums of the panel between blocks
  QuadOut out;
};

template <int kPairs, class Quads>
[[gnu::noinline]] void MultiplyTile(const TileWork& work, const Quads& quads) {
  constexpr int kTogether = Together(kPairs);
  const Block& block = work.block;
  for (int64_t quad = 0; quad < kQuads; quad += kTogether) {
    QuadSums<kPairs> sums[kTogether];
    for (int q = 0; q < kTogether; ++q) {
      if (block.is_first) {
        sums[q].Clear();
      } else {
        sums[q].Load(work.saved + (quad + q) * kQuadSumFloats);
      }
    }
    AddChunks(work.tile, block.first, block.chunks, quads, quad, sums);
    for (int q = 0; q < kTogether; ++q) {
      if (block.is_last) {
        StoreQuad(sums[q], work.out.From(4 * (quad + q)));
      } else {
        sums[q].Save(work.saved + (quad + q) * kQuadSumFloats);
      }
    }
  }
}

// Tiles of up to kPairs pairs.
template <int kPairs, class Quads>
inline void MultiplyAny(const TileWork& work, const Quads& quads) {
  if (work.tile.pairs == kPairs) return MultiplyTile<kPairs>(work, quads);
  if constexpr (kPairs > 1) MultiplyAny<kPairs - 1>(work, quads);
}

QuadOut OutAt(const LinearCall& call, int64_t token, int64_t column, int64_t end) {
  return {call.out + token * call.out_stride + column, call.out_stride, call.tokens - token,
          end - column};
}

template <class Visit>
inline void ForBlocks(int64_t inner, const Visit& visit) {
  const int64_t chunks = inner / kChunkElements;
  for (int64_t first = 0; first < chunks; first += kBlockChunks) {
    const int64_t count = Smaller(kBlockChunks, chunks - first);
    visit(Block{first, count, first == 0, first + count == chunks});
  }
}

// Up to 16 rows: weights are used as they are stored, the second tile reads them from the nearest
// cache. Prefetching them costs more than it gains: 133 instead of 125 us for two rows of Q8_0 with
// 1024 x 3072.
template <PanelFormat kFormat>
void StreamPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = kFormat.PanelBytes(call.inner);
  const int64_t tiles = Tiles(call.tokens), tile_rows = 2 * PairsOfTile(call.tokens);
  auto* saved = reinterpret_cast<float*>(call.scratch);
  for (int64_t column = begin; column < end; column += kPanelColumns) {
    const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
    ForBlocks(call.inner, [&](const Block& block) {
      const StoredQuads<kFormat> quads(panel, call.inner, block.first);
      for (int64_t t = 0; t < tiles; ++t) {
        MultiplyAny<kStreamPairs>(
            TileWork{TileAt(call.activations, call.tokens, call.inner, t), block,
                     saved + t * kQuads * kQuadSumFloats, OutAt(call, t * tile_rows, column, end)},
            quads);
      }
    });
  }
}

// More rows: a block of a panel is copied in the order of smmla while the rows stay in L2.
template <PanelFormat kFormat>
void MultiplyCopies(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = kFormat.PanelBytes(call.inner);
  const int64_t tiles = Tiles(call.tokens), tile_rows = 2 * PairsOfTile(call.tokens);
  const int64_t fit = kRowsInL2Bytes / (kTilePairs * call.inner / 32 * kPairChunkBytes);
  const int64_t at_once = Smaller(fit < 4 ? 4 : fit, kMostTilesAtOnce);
  auto* saved = reinterpret_cast<float*>(call.scratch + kCopyBytes<kFormat>);
  for (int64_t first = 0; first < tiles; first += at_once) {
    const int64_t last = Smaller(tiles, first + at_once);
    for (int64_t column = begin; column < end; column += kPanelColumns) {
      const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
      ForBlocks(call.inner, [&](const Block& block) {
        const CopiedQuads<kShapeOf<kFormat>> quads = {call.scratch, block.chunks};
        quads.Copy(StoredQuads<kFormat>(panel, call.inner, block.first));
        for (int64_t t = first; t < last; ++t) {
          MultiplyAny<kTilePairs>(TileWork{TileAt(call.activations, call.tokens, call.inner, t),
                                           block, saved + (t - first) * kQuads * kQuadSumFloats,
                                           OutAt(call, t * tile_rows, column, end)},
                                  quads);
        }
      });
    }
  }
}

template <DType kType>
void Multiply(const LinearCall& call, int64_t begin, int64_t end) {
  constexpr PanelFormat kFormat = FormatOf<kType>();
  if (call.tokens == 1) {
    return MultiplyPanels<Int8Product<kFormat>, kType, Int8RowBytes>(call, begin, end);
  }
  if (call.tokens <= kStreamRows) return StreamPanels<kFormat>(call, begin, end);
  MultiplyCopies<kFormat>(call, begin, end);
}

ActivationForm Form(int64_t tokens) {
  return tokens == 1 ? ActivationForm::kInt8Rows : ActivationForm::kInt8Pairs;
}

template <DType kType>
constexpr LinearKernel kKernel = [] {
  LinearKernel kernel = Int8PanelKernel<kType>();
  kernel.form = Form;
  kernel.scratch_bytes = ScratchBytes<FormatOf<kType>()>;
  kernel.run = Multiply<kType>;
  return kernel;
}();

}  // namespace

const LinearKernel* QuantLinear(DType weight) {
  switch (weight) {
    case DType::kQ8_0:
      return &kKernel<DType::kQ8_0>;
    case DType::kQ4_0:
      return &kKernel<DType::kQ4_0>;
    case DType::kQ4_1:
      return &kKernel<DType::kQ4_1>;
    case DType::kQ5_0:
      return &kKernel<DType::kQ5_0>;
    case DType::kQ5_1:
      return &kKernel<DType::kQ5_1>;
    case DType::kQ2_K:
      return &kKernel<DType::kQ2_K>;
    case DType::kQ3_K:
      return &kKernel<DType::kQ3_K>;
    case DType::kQ4_K:
      return &kKernel<DType::kQ4_K>;
    case DType::kQ5_K:
      return &kKernel<DType::kQ5_K>;
    case DType::kQ6_K:
      return &kKernel<DType::kQ6_K>;
    case DType::kIQ4_NL:
      return &kKernel<DType::kIQ4_NL>;
    case DType::kIQ4_XS:
      return &kKernel<DType::kIQ4_XS>;
    case DType::kMXFP4:
      return &kKernel<DType::kMXFP4>;
    default:
      return nullptr;
  }
}

}  // namespace infer::simd::i8mm
