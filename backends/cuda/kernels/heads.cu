// SPDX-License-Identifier: Apache-2.0
//
// Norm and rotation of heads, and storing k and v in the cache: a warp for each head of each token.
#include "backends/cuda/kernels/cache.h"
#include "backends/cuda/kernels/rotation.h"

namespace infer::cuda {

// Head `head` of a token: q heads first, then k, then v. Reads it, norms and rotates it into
// `values`, which is the warp's shared memory.
DEVICE inline void ComputeHead(const HeadArgs& args, const float* x, const float* norm, float angle,
                               float* values) {
  const uint32_t lane = ThreadIndex() % 32, dim = args.head_dim;
  float factor = 1;
  if (norm != nullptr) {
    float squares = 0;
    for (uint32_t i = lane; i < dim; i += 32) squares = Fma(x[i], x[i], squares);
    squares = WarpSum(squares);
    factor = 1.0f / SquareRoot(squares / static_cast<float>(dim) + args.eps);
  }
  auto normed = [&](uint32_t i) { return norm == nullptr ? x[i] : x[i] * factor * norm[i]; };
  for (uint32_t pair = lane; pair < dim / 2; pair += 32) {
    const uint32_t i = args.adjacent ? 2 * pair : pair;
    const uint32_t j = args.adjacent ? 2 * pair + 1 : pair + dim / 2;
    const float a = normed(i), b = normed(j);
    const SineCosine turn = Turn(angle * args.angles[pair]);
    const float cosine = turn.cosine * args.magnitude, sine = turn.sine * args.magnitude;
    values[i] = a * cosine - b * sine;
    values[j] = a * sine + b * cosine;
  }
}

template <Cache kCache, bool kStores>
DEVICE inline void Heads(const HeadArgs& args) {
  LetNextStart();
  const uint32_t lane = ThreadIndex() % 32, warp = ThreadIndex() / 32, dim = args.head_dim;
  float* values = reinterpret_cast<float*>(SharedMemory()) + warp * dim;
  const uint32_t q_heads = args.q == nullptr ? 0 : args.heads;
  const uint32_t of_token = q_heads + args.kv_heads * (kStores ? 2 : 1);
  const uint32_t at = static_cast<uint32_t>(BlockX()) * (kHeadThreads / 32) + warp;
  const uint32_t token = at / of_token, head = at % of_token;
  WaitForPrevious();
  const bool exists = token < args.tokens;
  const bool is_q = head < q_heads, is_k = !is_q && head < q_heads + args.kv_heads;
  const uint32_t in_kind = is_q ? head : is_k ? head - q_heads : head - q_heads - args.kv_heads;
  // All are read, and then one is taken: a choice between arguments would make the compiler copy
  // the whole struct to the stack of each thread.
  const float *q = args.q, *k = args.k, *v = args.v, *q_norm = args.q_norm, *k_norm = args.k_norm;
  float *q_out = args.q_out, *k_out = args.k_out;
  unsigned char *k_cache = args.k_cache, *v_cache = args.v_cache;
  const uint32_t heads = args.heads, kv_heads = args.kv_heads;
  const float* x = is_q ? q : is_k ? k : v;
  if (exists) {
    x += (static_cast<uint64_t>(token) * (is_q ? heads : kv_heads) + in_kind) * dim;
    if ((is_q || is_k) && args.rotates) {
      ComputeHead(args, x, is_q ? q_norm : k_norm, static_cast<float>(args.token_pos[token]),
                  values);
    } else {
      for (uint32_t i = lane; i < dim; i += 32) values[i] = x[i];
    }
  }
  Barrier();
  if (!exists) return;
  if (is_q || !kStores) {
    float* out = is_q ? q_out : k_out;
    out += (static_cast<uint64_t>(token) * (is_q ? heads : kv_heads) + in_kind) * dim;
    for (uint32_t i = lane; i < dim; i += 32) out[i] = values[i];
    return;
  }
  if constexpr (kStores) {
    unsigned char* cache = is_k ? k_cache : v_cache;
    const uint64_t vector =
        VectorAt(args.token_slot[token], in_kind, kv_heads, args.block_positions);
    StoreVector<kCache>(values, dim, cache + vector * VectorBytes<kCache>(dim));
  }
}

INFER_KERNEL(heads_f32, HeadArgs) { Heads<Cache::kF32, false>(args); }
INFER_KERNEL(store_heads_f32, HeadArgs) { Heads<Cache::kF32, true>(args); }
INFER_KERNEL(store_heads_f16, HeadArgs) { Heads<Cache::kF16, true>(args); }
INFER_KERNEL(store_heads_q8_0, HeadArgs) { Heads<Cache::kQ8_0, true>(args); }

}  // namespace infer::cuda
