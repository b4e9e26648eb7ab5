// SPDX-License-Identifier: Apache-2.0
//
// Attention of many tokens of one sequence on tensor cores: a block for 64 tokens and a head, 64
// keys a step, a warp for 16 tokens. q, keys, values and weights are f16, sums f32. The keys and
// values of the next step are on their way while one is computed.
#include "backends/cuda/kernels/cache.h"

namespace infer::cuda {

constexpr float kMinusInfinity = -__builtin_inff();

// 64 keys and values to shared memory, rows of kDim + 8; zeros beyond `length`.
template <Cache kCache, int kDim>
DEVICE inline void LoadKeys(const AttentionArgs& args, const int32_t* table, uint32_t kv_head,
                            uint32_t first, uint32_t length, uint16_t* keys, uint16_t* values) {
  constexpr uint32_t kPieces = kDim / 8;
  constexpr uint32_t kKeysAtOnce = kTileThreads / kPieces, kCount = kTileKeys / kKeysAtOnce;
  const uint32_t first_key = ThreadIndex() / kPieces, piece = ThreadIndex() % kPieces * 8;
  // First where all are, so that the loads of the table overlap.
  uint64_t at[kCount];
#pragma unroll
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t position = first + first_key + i * kKeysAtOnce;
    const uint32_t seen = position < length ? position : 0;
    const uint32_t block = seen / args.block_positions;
    const uint32_t slot =
        table[block] * args.block_positions + (seen - block * args.block_positions);
    at[i] =
        VectorAt(slot, kv_head, args.kv_heads, args.block_positions) * VectorBytes<kCache>(kDim);
  }
#pragma unroll
  for (uint32_t i = 0; i < kCount; ++i) {
    const uint32_t key = first_key + i * kKeysAtOnce;
    const bool exists = first + key < length;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      const unsigned char* vector = (side == 0 ? args.k_cache : args.v_cache) + at[i];
      uint16_t* out = (side == 0 ? keys : values) + key * (kDim + 8) + piece;
      if constexpr (kCache == Cache::kF16) {
        CopyAsync16(out, vector + 2 * piece, exists);
      } else {
        float loaded[8];
        LoadVector<kCache>(vector, piece, loaded);
        Int4 packed;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          packed[j] = exists ? static_cast<int>(PackHalves(loaded[2 * j], loaded[2 * j + 1])) : 0;
        }
        *reinterpret_cast<Int4*>(out) = packed;
      }
    }
  }
}

template <Cache kCache, int kDim>
DEVICE inline void AttentionTile(const AttentionArgs& args) {
  LetNextStart();
  constexpr int kStride = kDim + 8;
  uint16_t* q_rows = reinterpret_cast<uint16_t*>(SharedMemory());
  uint16_t* stages = q_rows + kTileQueries * kStride;  // two, of keys and values
  const uint32_t thread = ThreadIndex(), lane = thread % 32, warp = thread / 32;
  const uint32_t head = BlockY(), kv_head = head / (args.heads / args.kv_heads);
  const uint32_t first = BlockX() * kTileQueries;  // among the tokens of the launch
  WaitForPrevious();
  const int32_t* table = args.block_tables + args.token_table[args.first_token];
  const uint32_t first_position = args.token_pos[args.first_token] + first;
  const uint32_t queries = args.tokens - first < kTileQueries ? args.tokens - first : kTileQueries;
  const uint32_t length = first_position + queries;  // that the last of them sees

  constexpr float kLog2E = 1.4426950408889634f;
  const auto load = [&](uint32_t stage, uint32_t start) {
    uint16_t* keys = stages + stage * (2 * kTileKeys * kStride);
    LoadKeys<kCache, kDim>(args, table, kv_head, start, length, keys, keys + kTileKeys * kStride);
  };
  load(0, 0);
  const float factor = args.scale * kLog2E;
#pragma unroll 8
  for (uint32_t i = thread; i < kTileQueries * kDim / 4; i += kTileThreads) {
    const uint32_t row = i / (kDim / 4), column = i % (kDim / 4) * 4;
    const uint64_t token = args.first_token + first + (row < queries ? row : queries - 1);
    const Float4 four =
        *reinterpret_cast<const Float4*>(args.q + (token * args.heads + head) * kDim + column);
    uint32_t* to = reinterpret_cast<uint32_t*>(q_rows + row * kStride + column);
    to[0] = row < queries ? PackHalves(four.x * factor, four.y * factor) : 0;
    to[1] = row < queries ? PackHalves(four.z * factor, four.w * factor) : 0;
  }
  Barrier();
  Fragment4 q[kDim / 16];
#pragma unroll
  for (int k = 0; k < kDim / 16; ++k) {
    q[k] = LoadMatrices(q_rows + (warp * 16 + lane % 16) * kStride + k * 16 + lane / 16 * 8);
  }

  float out[kDim / 8][4] = {};
  float maximum[2] = {kMinusInfinity, kMinusInfinity}, sum[2] = {0, 0};
  uint32_t stage = 0;
  for (uint32_t start = 0; start < length; start += kTileKeys, stage ^= 1) {
    WaitCopies();
    Barrier();  // everybody has also read the other stage
    if (start + kTileKeys < length) load(stage ^ 1, start + kTileKeys);
    const uint16_t* keys = stages + stage * (2 * kTileKeys * kStride);
    const uint16_t* values = keys + kTileKeys * kStride;
    float scores[8][4] = {};
#pragma unroll
    for (int k = 0; k < kDim / 16; ++k) {
#pragma unroll
      for (int n = 0; n < 8; n += 2) {
        const uint32_t row = n * 8 + lane / 16 * 8 + lane % 8;
        const Fragment4 b = LoadMatrices(keys + row * kStride + k * 16 + lane / 8 % 2 * 8);
        MmaF16(scores[n], q[k], b.r[0], b.r[1]);
        MmaF16(scores[n + 1], q[k], b.r[2], b.r[3]);
      }
    }
    // A lane has two rows, lane / 4 and 8 more, and of each 8-key tile two columns.
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const uint32_t position = first_position + warp * 16 + half * 8 + lane / 4;
      float most = maximum[half];
#pragma unroll
      for (int n = 0; n < 8; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          const uint32_t key = start + n * 8 + lane % 4 * 2 + j;
          float& score = scores[n][half * 2 + j];
          if (key > position || key >= length) score = kMinusInfinity;
          most = score > most ? score : most;
        }
      }
      for (int mask = 1; mask < 4; mask <<= 1) {
        const float other = ShuffleXor(most, mask);
        most = other > most ? other : most;
      }
      const float origin = most == kMinusInfinity ? 0.0f : most;  // a row may see none of these
      const float keep = Exp2(maximum[half] - origin);
      maximum[half] = most;
      float part = 0;
#pragma unroll
      for (int n = 0; n < 8; ++n) {
#pragma unroll
        for (int j = 0; j < 2; ++j) {
          float& score = scores[n][half * 2 + j];
          score = Exp2(score - origin);
          part += score;
        }
      }
      sum[half] = Fma(sum[half], keep, part);
#pragma unroll
      for (int n = 0; n < kDim / 8; ++n) {
        out[n][half * 2] *= keep;
        out[n][half * 2 + 1] *= keep;
      }
    }
#pragma unroll
    for (int k = 0; k < 4; ++k) {  // 16 keys
      Fragment4 weights;
      weights.r[0] = PackHalves(scores[2 * k][0], scores[2 * k][1]);
      weights.r[1] = PackHalves(scores[2 * k][2], scores[2 * k][3]);
      weights.r[2] = PackHalves(scores[2 * k + 1][0], scores[2 * k + 1][1]);
      weights.r[3] = PackHalves(scores[2 * k + 1][2], scores[2 * k + 1][3]);
#pragma unroll
      for (int n = 0; n < kDim / 8; n += 2) {
        const uint32_t row = k * 16 + lane / 8 % 2 * 8 + lane % 8;
        const Fragment4 b = LoadMatricesTransposed(values + row * kStride + n * 8 + lane / 16 * 8);
        MmaF16(out[n], weights, b.r[0], b.r[1]);
        MmaF16(out[n + 1], weights, b.r[2], b.r[3]);
      }
    }
  }

#pragma unroll
  for (int half = 0; half < 2; ++half) {
    for (int mask = 1; mask < 4; mask <<= 1) sum[half] += ShuffleXor(sum[half], mask);
    const uint32_t row = warp * 16 + half * 8 + lane / 4;
    if (row >= queries) continue;
    const float factor = 1.0f / sum[half];
    float* to = args.out +
                (static_cast<uint64_t>(args.first_token + first + row) * args.heads + head) * kDim;
#pragma unroll
    for (int n = 0; n < kDim / 8; ++n) {
      to[n * 8 + lane % 4 * 2] = out[n][half * 2] * factor;
      to[n * 8 + lane % 4 * 2 + 1] = out[n][half * 2 + 1] * factor;
    }
  }
}

INFER_KERNEL(attention_tile_f16_d64, AttentionArgs) { AttentionTile<Cache::kF16, 64>(args); }
INFER_KERNEL(attention_tile_f16_d128, AttentionArgs) { AttentionTile<Cache::kF16, 128>(args); }
INFER_KERNEL(attention_tile_q8_0_d64, AttentionArgs) { AttentionTile<Cache::kQ8_0, 64>(args); }
INFER_KERNEL(attention_tile_q8_0_d128, AttentionArgs) { AttentionTile<Cache::kQ8_0, 128>(args); }

}  // namespace infer::cuda
