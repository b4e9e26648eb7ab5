// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "backends/simd/bound_vector.h"
#include "backends/simd/cache_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {
namespace {

struct BoundKvWrite {
  const VectorKernels* vector;
  StoreCacheVector store;
};

}  // namespace

StoreCacheVector StoreFor(DType cache) {
  switch (cache) {
    case DType::kF16:
      return [](const VectorKernels& vector, const float* x, int64_t count, std::byte* to) {
        vector.to_f16(x, count, reinterpret_cast<uint16_t*>(to));
      };
    case DType::kQ8_0:
      return [](const VectorKernels& vector, const float* x, int64_t count, std::byte* to) {
        vector.to_q8_0(x, count, to);
      };
    default:
      return [](const VectorKernels&, const float* x, int64_t count, std::byte* to) {
        std::memcpy(to, x, static_cast<size_t>(count) * sizeof(float));
      };
  }
}

std::shared_ptr<const void> BindKvWrite(const Node& node) {
  return std::make_shared<BoundKvWrite>(ChosenLevel().level->vector,
                                        StoreFor(node.input(0).type().tensor.dtype));
}

void KvWrite(const KernelArgs& args, int64_t begin, int64_t end) {
  const auto [vector, store] = args.constants<BoundKvWrite>();
  const KvView& kv = args.inputs[0].kv;
  for (int64_t token = begin; token < end; ++token) {
    for (int32_t head = 0; head < kv.kv_heads; ++head) {
      const int64_t from = (token * kv.kv_heads + head) * kv.head_dim;
      const size_t to = kv.Offset(args.batch->token_slot[token], head);
      store(*vector, args.in(1).f32() + from, kv.head_dim, kv.k + to);
      store(*vector, args.in(2).f32() + from, kv.head_dim, kv.v + to);
    }
  }
}

}  // namespace infer::simd
