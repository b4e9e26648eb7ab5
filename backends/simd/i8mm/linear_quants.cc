// SPDX-License-Identifier: Apache-2.0
//
// Products with quantised weights: up to 16 rows with panels as they are stored, more with copies
// of them. One numerics class for any number of rows, the one of level dotprod.
#include <algorithm>

#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/i8mm/quad_product.h"
#include "backends/simd/i8mm/quad_stream.h"
#include "backends/simd/i8mm/quad_tile.h"
#include "backends/simd/panels/pack_panels.h"
#include "backends/simd/panels/panel_tiles.h"

namespace infer::simd::i8mm {
namespace {

// Chunks whose weights stay in L1 while the quads of a panel, or many rows, pass over them: 1024
// elements of 32 columns are 40 KiB as copies.
constexpr int64_t kBlockChunks = 32;
// The same for few rows, with weights as they are stored. Small blocks are read nearly in the order
// of their addresses, which suits memory, and large ones change sums less often: on two threads,
// Q8_0 decodes 74, 70 and 60 tokens/s with 8, 16 and 32 chunks, Q4_0 81, 85 and 88.
template <PanelFormat kFormat>
constexpr int64_t kStreamBlockChunks = kFormat.low_bits == 8 ? 8 : 32;
// Weights are fetched this far ahead, into L2.
constexpr int64_t kAheadBytes = 16 * 1024;
// Rows that pass over a copy; their sums are in the scratch memory between blocks.
constexpr int64_t kMostTilesAtOnce = 96;
constexpr int64_t kMostPairs = 4;  // of a product
constexpr int64_t kQuadSumFloats = kMostPairs * 8;

template <PanelFormat kFormat>
constexpr int64_t kCopyBytes = kBlockChunks * kQuads / 2 * kShapeOf<kFormat>.ChunkBytes();

template <PanelFormat kFormat>
uint64_t ScratchBytes(int64_t tokens, int64_t) {
  const int64_t parts = CeilDiv(Pairs(tokens), kTilePairs);  // no product has fewer of them
  const int64_t tiles = Smaller(parts, kMostTilesAtOnce);
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

// The same for a single row.
template <PanelFormat kFormat>
[[gnu::noinline]] void MultiplyRow(const TileWork& work, const StoredQuads<kFormat>& quads) {
  constexpr int kTogether = 4;
  const Block& block = work.block;
  for (int64_t quad = 0; quad < kQuads; quad += kTogether) {
    float32x4_t sums[kTogether];
    for (int q = 0; q < kTogether; ++q) {
      sums[q] = block.is_first ? vdupq_n_f32(0) : vld1q_f32(work.saved + (quad + q) * 4);
    }
    AddRowChunks(work.tile, block.first, block.chunks, quads, quad, sums);
    for (int q = 0; q < kTogether; ++q) {
      const QuadOut out = work.out.From(4 * (quad + q));
      if (block.is_last) {
        StoreRow(sums[q], Smaller(out.columns, 4), out.at);
      } else {
        vst1q_f32(work.saved + (quad + q) * 4, sums[q]);
      }
    }
  }
}

template <QuadShape kShape>
void MultiplyCopiedTile(const TileWork& work, const CopiedQuads<kShape>& quads) {
  const Block& block = work.block;
  const std::byte* x = work.tile.chunks + block.first * kTilePairs * kPairChunkBytes;
  const float* x_sums = work.tile.sums + block.first * kTilePairs * kPairSumFloats;
  for (int64_t quad = 0; quad < kQuads; quad += 2) {
    alignas(64) float whole[kTilePairs * 16];
    float* sums = block.is_first && block.is_last ? whole : work.saved + quad * kQuadSumFloats;
    if (block.is_first) std::fill_n(sums, kTilePairs * 16, 0.0f);
    AddQuadTile<kShape>(x, x_sums, quads.At(quad, 0).at, block.chunks, sums);
    if (!block.is_last) continue;
    for (int64_t q = 0; q < 2; ++q) {
      QuadSums<kTilePairs> of_quad;
      of_quad.Load(sums + 8 * q, 16);
      StoreQuad(of_quad, work.out.From(4 * (quad + q)));
    }
  }
}

// The same from stored panels of the formats that quad_stream.h knows.
template <int kRows, PanelFormat kFormat>
  requires kStreamsQuads<kFormat>
[[gnu::noinline]] void MultiplyStream(const TileWork& work, const StoredQuads<kFormat>& quads) {
  constexpr int kPairs = (kRows + 1) / 2;
  const Block& block = work.block;
  const int64_t stride = work.tile.stride * kPairChunkBytes;
  const std::byte* x = work.tile.chunks + block.first * stride;
  const std::byte* scales = quads.header.header + block.first * kPanelColumns * 2;
  const std::byte* next = quads.chunks + kAheadBytes;
  for (int64_t quad = 0; quad < kQuads; quad += 2) {
    alignas(64) float whole[kPairs * 16];
    float* sums = block.is_first && block.is_last ? whole : work.saved + quad * kQuadSumFloats;
    if (block.is_first) std::fill_n(sums, kPairs * 16, 0.0f);
    AddQuadStream<kFormat, kRows>({quads.At(quad, 0).at, scales + quad * 8, x, stride, next},
                                  block.chunks, sums);
    next += block.chunks * kFormat.ChunkBytes() / 4;
    if (!block.is_last) continue;
    if constexpr (kRows == 1) {
      const QuadOut out = work.out.From(4 * quad);
      StoreRow(vld1q_f32(sums), Smaller(out.columns, 4), out.at);
      StoreRow(vld1q_f32(sums + 4), Smaller(out.columns - 4, 4), out.at + 4);
      continue;
    }
    for (int64_t q = 0; q < 2; ++q) {
      QuadSums<kPairs> of_quad;
      for (int p = 0; p < kPairs; ++p) {
        for (int64_t i = 0; i < 2; ++i) {
          of_quad.at[p][i] = vld1q_f32(sums + 16 * p + 8 * i + 4 * q);
        }
      }
      StoreQuad(of_quad, work.out.From(4 * (quad + q)));
    }
  }
}

// Tiles of up to kPairs pairs.
template <int kPairs, class Quads>
inline void MultiplyAny(const TileWork& work, const Quads& quads) {
  if (work.tile.pairs == kPairs) {
    if constexpr (requires { MultiplyStream<2 * kPairs>(work, quads); }) {
      if (work.out.rows == 1) return MultiplyStream<1>(work, quads);
      return MultiplyStream<2 * kPairs>(work, quads);
    } else {
      if constexpr (requires { MultiplyRow(work, quads); }) {
        if (work.out.rows == 1) return MultiplyRow(work, quads);
      }
      return MultiplyTile<kPairs>(work, quads);
    }
  }
  if constexpr (kPairs > 1) MultiplyAny<kPairs - 1>(work, quads);
}

QuadOut OutAt(const LinearCall& call, int64_t token, int64_t column, int64_t end) {
  return {call.out + token * call.out_stride + column, call.out_stride, call.tokens - token,
          end - column};
}

template <int64_t kMost, class Visit>
inline void ForBlocks(int64_t inner, const Visit& visit) {
  const int64_t chunks = inner / kChunkElements;
  for (int64_t first = 0; first < chunks; first += kMost) {
    const int64_t count = Smaller(kMost, chunks - first);
    visit(Block{first, count, first == 0, first + count == chunks});
  }
}

// Pairs that are multiplied together with weights as they are stored.
template <PanelFormat kFormat>
constexpr int64_t kStreamPairs = kStreamsQuads<kFormat> ? 3 : 4;

// Up to 16 rows: weights are used as they are stored, and read from the nearest cache by all pairs
// but the first ones.
template <PanelFormat kFormat>
void StreamPanels(const LinearCall& call, int64_t begin, int64_t end) {
  const int64_t panel_bytes = kFormat.PanelBytes(call.inner);
  const PairTile all = TileAt(call.activations, call.tokens, call.inner, 0);
  // Parts of nearly equal size: 4 pairs are 2 + 2 and not 3 + 1.
  const int64_t parts = CeilDiv(all.pairs, kStreamPairs<kFormat>);
  const int64_t pairs = CeilDiv(all.pairs, parts);
  auto* saved = reinterpret_cast<float*>(call.scratch);
  for (int64_t column = begin; column < end; column += kPanelColumns) {
    const std::byte* panel = call.weight + column / kPanelColumns * panel_bytes;
    ForBlocks<kStreamBlockChunks<kFormat>>(call.inner, [&](const Block& block) {
      const StoredQuads<kFormat> quads(panel, call.inner, block.first);
      for (int64_t p = 0; p < parts; ++p) {
        const int64_t first = p * pairs;
        MultiplyAny<kStreamPairs<kFormat>>(
            TileWork{all.Part(first, Smaller(pairs, all.pairs - first)), block,
                     saved + p * kQuads * kQuadSumFloats, OutAt(call, 2 * first, column, end)},
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
      ForBlocks<kBlockChunks>(call.inner, [&](const Block& block) {
        const CopiedQuads<kShapeOf<kFormat>> quads = {call.scratch, block.chunks};
        quads.Copy(StoredQuads<kFormat>(panel, call.inner, block.first));
        for (int64_t t = first; t < last; ++t) {
          const TileWork work = {TileAt(call.activations, call.tokens, call.inner, t), block,
                                 saved + (t - first) * kQuads * kQuadSumFloats,
                                 OutAt(call, t * tile_rows, column, end)};
          if (work.tile.pairs == kTilePairs) {
            MultiplyCopiedTile(work, quads);
          } else {
            MultiplyAny<kTilePairs - 1>(work, quads);
          }
        }
      });
    }
  }
}

template <PanelFormat kFormat>
void Multiply(const LinearCall& call, int64_t begin, int64_t end) {
  if (call.tokens <= kStreamRows) return StreamPanels<kFormat>(call, begin, end);
  MultiplyCopies<kFormat>(call, begin, end);
}

ActivationForm Form(int64_t) { return ActivationForm::kInt8Pairs; }
std::string_view Numerics(int64_t, int64_t) { return "int8x32"; }

template <DType kType>
constexpr LinearKernel kKernel = [] {
  constexpr PanelFormat kFormat = FormatOf<kType>();
  LinearKernel kernel;
  kernel.layout = kEightsPanelLayout;
  kernel.panel_outputs = kPanelColumns;
  kernel.packed_bytes = PackedPanelBytes<kType>;
  kernel.pack = PackPanels<kType, PanelOrder::kEights>;
  kernel.form = Form;
  kernel.scratch_bytes = ScratchBytes<kFormat>;
  kernel.run = Multiply<kFormat>;
  kernel.numerics = Numerics;
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
