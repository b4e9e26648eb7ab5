// SPDX-License-Identifier: Apache-2.0
//
// Attention of few tokens: 8 lanes work on a position, so that a warp has 4 in flight.
#include "backends/cuda/kernels/cache.h"
#include "backends/cuda/kernels/history_parts.h"

namespace infer::cuda {

template <Cache kCache, int kDim, int kGroup>
DEVICE inline void AttentionVector(const AttentionArgs& args) {
  LetNextStart();
  constexpr int kCount = kDim / 8;  // elements of a lane
  constexpr int kWarps = kAttentionThreads / 32;
  const uint32_t thread = ThreadIndex(), lane = thread % 32, warp = thread / 32;
  const uint32_t in_vector = lane % 8 * kCount;
  const uint32_t first_head = BlockY() * kGroup;
  const uint32_t kv_head = first_head / (args.heads / args.kv_heads);
  const uint32_t local_token = BlockZ(), token = args.first_token + local_token;
  WaitForPrevious();
  const int32_t* table = args.block_tables + args.token_table[token];
  const uint32_t length = args.token_pos[token] + 1;
  const uint32_t part = PartPositions(length, args.splits);
  const uint32_t parts = (length + part - 1) / part;
  const uint32_t split = BlockX();
  if (split >= parts) return;

  float q[kGroup][kCount];
  Running<kCount> running[kGroup];
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    const float* row =
        args.q + (static_cast<uint64_t>(token) * args.heads + first_head + g) * kDim + in_vector;
#pragma unroll
    for (int i = 0; i < kCount; ++i) q[g][i] = row[i] * (args.scale * kLog2E);
  }
  const uint32_t end = (split + 1) * part < length ? (split + 1) * part : length;
  // Two positions at a time, so that their loads overlap. All lanes take every step, because they
  // exchange sums.
  constexpr uint32_t kStep = kWarps * 4;
  for (uint32_t base = split * part + warp * 4; base < end; base += 2 * kStep) {
    float k[2][kCount], v[2][kCount];
    bool exists[2];
#pragma unroll
    for (int p = 0; p < 2; ++p) {
      const uint32_t position = base + p * kStep + lane / 8;
      exists[p] = position < end;
      const uint32_t seen = exists[p] ? position : end - 1;
      const uint32_t slot =
          table[seen / args.block_positions] * args.block_positions + seen % args.block_positions;
      const uint64_t at =
          VectorAt(slot, kv_head, args.kv_heads, args.block_positions) * VectorBytes<kCache>(kDim);
      LoadVector<kCache>(args.k_cache + at, in_vector, k[p]);
      LoadVector<kCache>(args.v_cache + at, in_vector, v[p]);
    }
#pragma unroll
    for (int p = 0; p < 2; ++p) {
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        float score = 0;
#pragma unroll
        for (int i = 0; i < kCount; ++i) score = Fma(q[g][i], k[p][i], score);
#pragma unroll
        for (int mask = 4; mask > 0; mask >>= 1) score += ShuffleXor(score, mask);
        if (!exists[p]) continue;
        Running<kCount>& r = running[g];
        const float most = score > r.maximum ? score : r.maximum;
        const float keep = Exp2(r.maximum - most), weight = Exp2(score - most);
        r.maximum = most;
        r.sum = Fma(r.sum, keep, weight);
#pragma unroll
        for (int i = 0; i < kCount; ++i) r.values[i] = Fma(v[p][i], weight, r.values[i] * keep);
      }
    }
  }

  // The 4 positions of a warp, then the warps, through shared memory.
  float* shared = reinterpret_cast<float*>(SharedMemory());
#pragma unroll
  for (int g = 0; g < kGroup; ++g) {
    for (int mask = 8; mask < 32; mask <<= 1) {
      float other[kCount];
#pragma unroll
      for (int i = 0; i < kCount; ++i) other[i] = ShuffleXor(running[g].values[i], mask);
      const float maximum = ShuffleXor(running[g].maximum, mask);
      const float sum = ShuffleXor(running[g].sum, mask);
      running[g].Merge(maximum, sum, other);
    }
    float* mine = shared + (warp * kGroup + g) * (kDim + 2);
    if (lane < 8) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) mine[2 + in_vector + i] = running[g].values[i];
      if (lane == 0) {
        mine[0] = running[g].maximum;
        mine[1] = running[g].sum;
      }
    }
  }
  Barrier();
  FinishPart<kDim, kGroup, kAttentionThreads>(args, local_token, first_head, split, parts);
}

#define INFER_ATTENTION(cache, kCache, dim)                      \
  INFER_KERNEL(attention_##cache##_d##dim##_g1, AttentionArgs) { \
    AttentionVector<kCache, dim, 1>(args);                       \
  }                                                              \
  INFER_KERNEL(attention_##cache##_d##dim##_g2, AttentionArgs) { \
    AttentionVector<kCache, dim, 2>(args);                       \
  }                                                              \
  INFER_KERNEL(attention_##cache##_d##dim##_g4, AttentionArgs) { \
    AttentionVector<kCache, dim, 4>(args);                       \
  }

INFER_ATTENTION(f32, Cache::kF32, 64)
INFER_ATTENTION(f32, Cache::kF32, 128)
INFER_ATTENTION(f16, Cache::kF16, 64)
INFER_ATTENTION(f16, Cache::kF16, 128)
INFER_ATTENTION(q8_0, Cache::kQ8_0, 64)
INFER_ATTENTION(q8_0, Cache::kQ8_0, 128)

}  // namespace infer::cuda
