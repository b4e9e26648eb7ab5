// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backends/simd/cache_vector.h"
#include "backends/simd/chosen_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

void StoreCacheVector(const KvView& kv, const float* x, std::byte* cache, size_t offset_bytes) {
  std::byte* to = cache + offset_bytes;
  switch (kv.dtype) {
    case DType::kF16:
      return ChosenVector().to_f16(x, kv.head_dim, reinterpret_cast<uint16_t*>(to));
    case DType::kQ8_0:
      return ChosenVector().to_q8_0(x, kv.head_dim, to);
    default:
      std::memcpy(to, x, kv.head_dim * sizeof(float));
  }
}

void KvWrite(const KernelArgs& args, int64_t begin, int64_t end) {
  const KvView& kv = args.inputs[0].kv;
  for (int64_t token = begin; token < end; ++token) {
    for (int32_t head = 0; head < kv.kv_heads; ++head) {
      const int64_t from = (token * kv.kv_heads + head) * kv.head_dim;
      const size_t to = kv.Offset(args.batch->token_slot[token], head);
      StoreCacheVector(kv, args.in(1).f32() + from, kv.k, to);
      StoreCacheVector(kv, args.in(2).f32() + from, kv.v, to);
    }
  }
}

}  // namespace infer::simd
