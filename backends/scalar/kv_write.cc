// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"
#include "runtime/half.h"

namespace infer::scalar {

namespace {

void StoreVector(const KvView& kv, const float* x, std::byte* cache, size_t index) {
  if (kv.dtype == DType::kF32) {
    std::copy_n(x, kv.head_dim, reinterpret_cast<float*>(cache) + index);
    return;
  }
  uint16_t* halves = reinterpret_cast<uint16_t*>(cache) + index;
  for (int32_t i = 0; i < kv.head_dim; ++i) halves[i] = F32ToF16(x[i]);
}

}  // namespace

void KvWrite(const KernelArgs& args, int64_t begin, int64_t end) {
  const KvView& kv = args.inputs[0].kv;
  for (int64_t token = begin; token < end; ++token) {
    for (int32_t head = 0; head < kv.kv_heads; ++head) {
      const int64_t from = (token * kv.kv_heads + head) * kv.head_dim;
      const size_t to = kv.Index(args.batch->token_slot[token], head);
      StoreVector(kv, args.in(1).f32() + from, kv.k, to);
      StoreVector(kv, args.in(2).f32() + from, kv.v, to);
    }
  }
}

}  // namespace infer::scalar
