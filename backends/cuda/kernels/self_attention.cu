// SPDX-License-Identifier: Apache-2.0
//
// Attention of one token with what comes before it: norm and rotation of q and k, and storing k and
// v. Everything but q, k and v of the token was in memory before the call, so a block has asked for
// the keys and values of its first positions before the previous launch ends. Each block norms and
// rotates the heads it needs itself.
#include "backends/cuda/kernels/cache.h"
#include "backends/cuda/kernels/history_parts.h"
#include "backends/cuda/kernels/rotation.h"

namespace infer::cuda {

constexpr int kLaneElements = 8;
constexpr float kNoScore = -1e30f;  // below all, and finite: a difference of two is a number

// kLaneElements of a vector of the cache.
template <Cache kCache>
struct Elements {
  static constexpr bool kStreams = kCache != Cache::kQ8_0;  // whose blocks of 34 bytes do not allow
  static constexpr int kBytes = kCache == Cache::kF32 ? 32 : kCache == Cache::kF16 ? 16 : 0;
  float values[kLaneElements];

  DEVICE static void Start(unsigned char* slot, const unsigned char* vector, uint32_t first,
                           bool exists) {
#pragma unroll
    for (int i = 0; i < kBytes; i += 16) {
      CopyAsync16(slot + i * static_cast<int>(kAttentionThreads),
                  vector + first * (kBytes / kLaneElements) + i, exists);
    }
  }
  // `stride`: between 16 bytes and the next.
  DEVICE void Read(const unsigned char* slot, uint32_t stride) {
    if constexpr (kCache == Cache::kF16) {
      const Int4 raw = LoadShared(slot);
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) {
        values[i] = HalfToFloat(static_cast<uint16_t>(raw[i / 2] >> (16 * (i % 2))));
      }
    } else {
#pragma unroll
      for (int i = 0; i < kLaneElements; i += 4) {
        const Int4 raw = LoadShared(slot + i / 4 * stride);
#pragma unroll
        for (int j = 0; j < 4; ++j) values[i + j] = AsFloat(static_cast<uint32_t>(raw[j]));
      }
    }
  }
};

// What a warp needs to norm and rotate a head, in the lanes that use it.
template <int kDim>
struct HeadConstants {
  static constexpr int kPairs = kDim / 64;  // of a lane
  float cosine[kPairs], sine[kPairs];
  float norm[kPairs][2];
};

template <int kDim>
DEVICE inline uint32_t ElementOf(bool adjacent, int pair, int side) {
  const uint32_t at = ThreadIndex() % 32 + 32 * pair;
  return adjacent ? 2 * at + side : at + side * (kDim / 2);
}

template <int kDim>
DEVICE inline HeadConstants<kDim> LoadConstants(const HeadArgs& args, const float* norm,
                                                float position) {
  HeadConstants<kDim> c;
#pragma unroll
  for (int i = 0; i < HeadConstants<kDim>::kPairs; ++i) {
    const SineCosine turn = Turn(position * args.angles[ThreadIndex() % 32 + 32 * i]);
    c.cosine[i] = turn.cosine * args.magnitude;
    c.sine[i] = turn.sine * args.magnitude;
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      c.norm[i][side] = norm[ElementOf<kDim>(args.adjacent, i, side)];
    }
  }
  return c;
}

// The head at `x`, normed and rotated, times `factor`.
template <int kDim>
DEVICE inline void ComputeHead(const HeadArgs& args, const float* x, const HeadConstants<kDim>& c,
                               float factor, float* values) {
  constexpr int kPairs = HeadConstants<kDim>::kPairs;
  float element[kPairs][2];
  float squares = 0;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      element[i][side] = x[ElementOf<kDim>(args.adjacent, i, side)];
      squares = Fma(element[i][side], element[i][side], squares);
    }
  }
  squares = WarpSum(squares);
  factor *= InverseSquareRoot(Fma(squares, 1.0f / kDim, args.eps));
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    const float a = element[i][0] * factor * c.norm[i][0];
    const float b = element[i][1] * factor * c.norm[i][1];
    values[ElementOf<kDim>(args.adjacent, i, 0)] = a * c.cosine[i] - b * c.sine[i];
    values[ElementOf<kDim>(args.adjacent, i, 1)] = a * c.sine[i] + b * c.cosine[i];
  }
}

// The softmaxes of kGroup heads over the positions that these lanes have seen, in powers of two.
template <int kGroup, int kLanes>
struct Softmaxes {
  float q[kGroup][kLaneElements];
  float maximum[kGroup], sum[kGroup], values[kGroup][kLaneElements];

  // Takes kAttentionSteps positions. Scores of all of them step by step, so that the latencies of
  // the exchanges overlap; without branches, because all lanes exchange.
  template <class K, class V, class E>
  DEVICE void Take(K k_of, V v_of, E exists) {
    constexpr int kSteps = kAttentionSteps;
    float scores[kSteps][kGroup];
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const auto k = k_of(s);
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        scores[s][g] = 0;
#pragma unroll
        for (int i = 0; i < kLaneElements; ++i) {
          scores[s][g] = Fma(q[g][i], k.values[i], scores[s][g]);
        }
      }
    }
#pragma unroll
    for (int mask = kLanes / 2; mask > 0; mask >>= 1) {
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
#pragma unroll
        for (int g = 0; g < kGroup; ++g) scores[s][g] += ShuffleXor(scores[s][g], mask);
      }
    }
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      float most = maximum[g];
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        if (!exists(s)) scores[s][g] = AsFloat(0xff800000);
        most = scores[s][g] > most ? scores[s][g] : most;
      }
      const float keep = Exp2(maximum[g] - most);
      maximum[g] = most;
      sum[g] *= keep;
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) values[g][i] *= keep;
#pragma unroll
      for (int s = 0; s < kSteps; ++s) {
        scores[s][g] = Exp2(scores[s][g] - most);
        sum[g] += scores[s][g];
      }
    }
#pragma unroll
    for (int s = 0; s < kSteps; ++s) {
      const auto v = v_of(s);
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
#pragma unroll
        for (int i = 0; i < kLaneElements; ++i) {
          values[g][i] = Fma(v.values[i], scores[s][g], values[g][i]);
        }
      }
    }
  }

  // Adds what the lanes have seen that are `mask` away.
  DEVICE void MergeLanes(int mask) {
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      const float other = ShuffleXor(maximum[g], mask);
      const float most = other > maximum[g] ? other : maximum[g];
      const float keep = Exp2(maximum[g] - most);
      maximum[g] = most;
      sum[g] *= keep;
      sum[g] += ShuffleXor(sum[g], mask);
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) values[g][i] *= keep;
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) values[g][i] += ShuffleXor(values[g][i], mask);
    }
  }
};

template <Cache kCache, int kDim, int kGroup>
DEVICE inline void SelfAttention(const SelfAttentionArgs& all) {
  LetNextStart();
  const HeadArgs& heads = all.heads;
  const AttentionArgs& args = all.attention;
  using Elements = Elements<kCache>;
  constexpr int kThreads = kAttentionThreads;
  constexpr int kWarps = kThreads / 32;
  constexpr int kLanes = kDim / kLaneElements;  // of a position
  constexpr int kPositions = 32 / kLanes;       // of a warp at the same time
  constexpr uint32_t kStep = kWarps * kPositions;
  constexpr int kStepBytes = 2 * Elements::kBytes * kThreads;  // k and v
  constexpr uint32_t kPieceBytes = kAttentionSteps * kStepBytes;
  constexpr int kStages = kAttentionStages;
  const uint32_t lane = ThreadIndex() % 32, warp = ThreadIndex() / 32;
  const uint32_t in_vector = lane % kLanes * kLaneElements;
  const uint32_t first_head = BlockY() * kGroup, split = BlockX();
  const uint32_t heads_of_kv = all.heads_of_kv, kv_head = BlockY() / all.groups_of_kv;
  const uint32_t position = args.token_pos[0];
  const uint32_t part = PartPositions(position + 1, args.splits);
  // The last part has this token's own position besides those before it.
  const uint32_t begin = split * part;
  if (begin > position) {
    WaitForPrevious();
    return;
  }
  const bool has_last = begin + part > position;
  const uint32_t end = has_last ? position + 1 : begin + part;
  const int32_t* table = args.block_tables + args.token_table[0];

  float* shared = reinterpret_cast<float*>(SharedMemory());
  float* q_at = shared + kWarps * kGroup * (kDim + 2);
  // k and v of this token, in f32 and, for such a cache, in f16.
  float *k_at = q_at + kGroup * kDim, *v_at = k_at + kDim;
  constexpr bool kHalves = kCache == Cache::kF16;
  uint16_t* const halves = reinterpret_cast<uint16_t*>(v_at + kDim);
  unsigned char* const slots =
      reinterpret_cast<unsigned char*>(v_at + 2 * kDim) + 16 * static_cast<int>(ThreadIndex());
  uint32_t fill = 0, use = 0;  // of the ring, in bytes
  const auto vector_at = [&](uint32_t at) {
    const uint32_t block =
        static_cast<uint32_t>(static_cast<uint64_t>(at) * all.block_factor >> all.block_shift);
    return ((static_cast<uint64_t>(table[block]) * args.kv_heads + kv_head) * args.block_positions +
            (at - block * args.block_positions)) *
           VectorBytes<kCache>(kDim);
  };
  uint32_t next = begin + warp * kPositions + lane / kLanes;  // to start
  uint32_t taken = begin + warp * kPositions;                 // of this warp

  Softmaxes<kGroup, kLanes> softmaxes = {};
#pragma unroll
  for (int g = 0; g < kGroup; ++g) softmaxes.maximum[g] = kNoScore;
  // Every round starts a piece; from round 0 on it first takes the piece of kStages before.
#pragma clang loop unroll(disable)
  for (int round = Elements::kStreams ? -kStages : 0;; ++round) {
    if (round == 0) {
      // q, and k and v of this token.
      const bool is_q = warp < kGroup, is_k = has_last && warp == kGroup;
      const bool is_v = has_last && warp == kGroup + 1;
      HeadConstants<kDim> constants = {};
      const float *q_norm = heads.q_norm, *k_norm = heads.k_norm;
      if (is_q || is_k) {
        constants =
            LoadConstants<kDim>(heads, is_q ? q_norm : k_norm, static_cast<float>(position));
      }
      WaitForPrevious();
      const float *q_in = heads.q, *k_in = heads.k;
      if (is_q || is_k) {
        ComputeHead<kDim>(heads, is_q ? q_in + (first_head + warp) * kDim : k_in + kv_head * kDim,
                          constants, is_q ? args.scale * kLog2E : 1.0f, q_at + warp * kDim);
      } else if (is_v) {
        for (uint32_t i = lane; i < kDim; i += 32) v_at[i] = heads.v[kv_head * kDim + i];
      }
      if (is_k || is_v) {
        // What later calls read. Of several blocks with the same keys the first stores them; all
        // continue with what was stored.
        WarpBarrier();
        unsigned char *k_cache = heads.k_cache, *v_cache = heads.v_cache;
        unsigned char* to = (is_k ? k_cache : v_cache) + vector_at(position);
        StoreVector<kCache>(is_k ? k_at : v_at, kDim, first_head % heads_of_kv == 0 ? to : nullptr);
        if constexpr (kHalves) {
          const float* values = is_k ? k_at : v_at;
          for (uint32_t i = lane; i < kDim; i += 32) {
            halves[(is_k ? 0 : kDim) + i] = StoredHalf(values[i]);
          }
        }
      }
      Barrier();
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
#pragma unroll
        for (int i = 0; i < kLaneElements; i += 4) {
          const Int4 four = LoadShared(q_at + g * kDim + in_vector + i);
#pragma unroll
          for (int j = 0; j < 4; ++j)
            softmaxes.q[g][i + j] = AsFloat(static_cast<uint32_t>(four[j]));
        }
      }
    }
    if (round >= 0) {
      if (taken >= end) break;
      const auto exists = [&](int s) { return taken + s * kStep + lane / kLanes < end; };
      if constexpr (Elements::kStreams) {
        WaitCopyGroups<kStages - 1>();
        const unsigned char* own = reinterpret_cast<const unsigned char*>(k_at);
        if constexpr (kHalves) own = reinterpret_cast<const unsigned char*>(halves);
        own += in_vector * (Elements::kBytes / kLaneElements);
        const auto read = [&](int s, int v) {
          const bool is_own = taken + s * kStep + lane / kLanes == position;
          constexpr uint32_t kOwnBytes = kDim * Elements::kBytes / kLaneElements;
          Elements elements;
          elements.Read(is_own ? own + v * kOwnBytes
                               : slots + use + s * kStepBytes + v * Elements::kBytes * kThreads,
                        is_own ? 16 : 16 * kThreads);
          return elements;
        };
        softmaxes.Take([&](int s) { return read(s, 0); }, [&](int s) { return read(s, 1); },
                       exists);
      } else {
        const auto load = [&](int s, const unsigned char* cache, const float* own) {
          Elements elements = {};
          const uint32_t at = taken + s * kStep + lane / kLanes;
          if (at < position && at < end) {
            LoadVector<kCache>(cache + vector_at(at), in_vector, elements.values);
          } else if (at == position) {
#pragma unroll
            for (int i = 0; i < kLaneElements; ++i) elements.values[i] = own[in_vector + i];
          }
          return elements;
        };
        softmaxes.Take([&](int s) { return load(s, args.k_cache, k_at); },
                       [&](int s) { return load(s, args.v_cache, v_at); }, exists);
      }
      taken += kAttentionSteps * kStep;
      use += kPieceBytes;
      use = use == kStages * kPieceBytes ? 0 : use;
    }
    if constexpr (Elements::kStreams) {
#pragma unroll
      for (int s = 0; s < static_cast<int>(kAttentionSteps); ++s) {
        unsigned char* slot = slots + fill + s * kStepBytes;
        const bool exists = next < end && next != position;
        const uint64_t at = vector_at(exists ? next : 0);
        Elements::Start(slot, args.k_cache + at, in_vector, exists);
        Elements::Start(slot + Elements::kBytes * kThreads, args.v_cache + at, in_vector, exists);
        next += kStep;
      }
      CommitCopies();
      fill += kPieceBytes;
      fill = fill == kStages * kPieceBytes ? 0 : fill;
    }
  }
  // The positions of a warp, then the warps, through shared memory.
#pragma unroll
  for (int mask = kLanes; mask < 32; mask <<= 1) softmaxes.MergeLanes(mask);
  if (lane < kLanes) {
#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      float* mine = shared + (warp * kGroup + g) * (kDim + 2);
      if (lane == 0) {
        mine[0] = softmaxes.maximum[g];
        mine[1] = softmaxes.sum[g];
      }
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) mine[2 + in_vector + i] = softmaxes.values[g][i];
    }
  }
  Barrier();
  FinishPart<kDim, kGroup, kThreads>(args, 0, first_head, split, position / part + 1);
}

#define INFER_SELF_ATTENTION(cache, kCache, dim)                          \
  INFER_KERNEL(self_attention_##cache##_d##dim##_g1, SelfAttentionArgs) { \
    SelfAttention<kCache, dim, 1>(args);                                  \
  }                                                                       \
  INFER_KERNEL(self_attention_##cache##_d##dim##_g2, SelfAttentionArgs) { \
    SelfAttention<kCache, dim, 2>(args);                                  \
  }

INFER_SELF_ATTENTION(f32, Cache::kF32, 64)
INFER_SELF_ATTENTION(f32, Cache::kF32, 128)
INFER_SELF_ATTENTION(f16, Cache::kF16, 64)
INFER_SELF_ATTENTION(f16, Cache::kF16, 128)
INFER_SELF_ATTENTION(q8_0, Cache::kQ8_0, 64)
INFER_SELF_ATTENTION(q8_0, Cache::kQ8_0, 128)

}  // namespace infer::cuda
