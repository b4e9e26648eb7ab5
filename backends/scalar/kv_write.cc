// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/formats/simple_blocks.h"
#include "backends/scalar/ops.h"
#include "runtime/half.h"

namespace infer::scalar {

namespace {

using formats::BlockQ8_0;

// Maps the largest absolute value to 127; ties go to even. Computed in float, step by step, because
// other targets must give the same bits. If any element is not finite, the whole block reads as
// NaN: 8 bits cannot show which one it was.
void QuantizeBlock(const float* x, BlockQ8_0* block) {
  float largest = 0;
  bool finite = true;
  for (int i = 0; i < BlockQ8_0::kElements; ++i) {
    finite = finite && std::isfinite(x[i]);
    largest = std::max(largest, std::abs(x[i]));
  }
  const float scale = finite ? largest / 127.0f : std::numeric_limits<float>::quiet_NaN();
  const float inverse = scale > 0 ? 1.0f / scale : 0.0f;
  const bool divide = std::isinf(inverse);  // a scale below 2^-128 has no inverse
  for (int i = 0; i < BlockQ8_0::kElements; ++i) {
    const float scaled = divide ? x[i] / scale : x[i] * inverse;
    const float quant = finite ? std::nearbyint(scaled) : 0.0f;
    block->quants[i] = static_cast<int8_t>(std::clamp(quant, -128.0f, 127.0f));
  }
  const uint16_t half = F32ToF16(scale);
  block->scale = {static_cast<uint8_t>(half), static_cast<uint8_t>(half >> 8)};
}

void StoreVector(const KvView& kv, const float* x, std::byte* to) {
  if (kv.dtype == DType::kF32) {
    std::copy_n(x, kv.head_dim, reinterpret_cast<float*>(to));
  } else if (kv.dtype == DType::kF16) {
    uint16_t* halves = reinterpret_cast<uint16_t*>(to);
    for (int32_t i = 0; i < kv.head_dim; ++i) halves[i] = F32ToF16(x[i]);
  } else {
    BlockQ8_0* blocks = reinterpret_cast<BlockQ8_0*>(to);
    for (int32_t i = 0; i < kv.head_dim; i += BlockQ8_0::kElements) QuantizeBlock(x + i, blocks++);
  }
}

}  // namespace

void KvWrite(const KernelArgs& args, int64_t begin, int64_t end) {
  const KvView& kv = args.inputs[0].kv;
  for (int64_t token = begin; token < end; ++token) {
    for (int32_t head = 0; head < kv.kv_heads; ++head) {
      const int64_t from = (token * kv.kv_heads + head) * kv.head_dim;
      const size_t to = kv.Offset(args.batch->token_slot[token], head);
      StoreVector(kv, args.in(1).f32() + from, kv.k + to);
      StoreVector(kv, args.in(2).f32() + from, kv.v + to);
    }
  }
}

}  // namespace infer::scalar
