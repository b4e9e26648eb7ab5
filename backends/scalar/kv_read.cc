// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/scalar/ops.h"
#include "runtime/half.h"

namespace infer::scalar {

namespace {

void LoadVector(const KvView& kv, const std::byte* cache, size_t index, float* out) {
  if (kv.dtype == DType::kF32) {
    std::copy_n(reinterpret_cast<const float*>(cache) + index, kv.head_dim, out);
    return;
  }
  const uint16_t* halves = reinterpret_cast<const uint16_t*>(cache) + index;
  for (int32_t i = 0; i < kv.head_dim; ++i) out[i] = F16ToF32(halves[i]);
}

// The heads of one cache entry, side by side.
void LoadEntry(const KernelArgs& args, int32_t slot, int64_t entry) {
  const KvView& kv = args.inputs[0].kv;
  for (int32_t head = 0; head < kv.kv_heads; ++head) {
    const size_t from = kv.Index(slot, head);
    const int64_t to = (entry * kv.kv_heads + head) * kv.head_dim;
    LoadVector(kv, kv.k, from, args.out(0).mutable_f32() + to);
    LoadVector(kv, kv.v, from, args.out(1).mutable_f32() + to);
  }
}

}  // namespace

// Entries are numbered through the call's sequences, each from position 0 on.
void KvRead(const KernelArgs& args, int64_t begin, int64_t end) {
  const int32_t block_positions = args.inputs[0].kv.block_positions;
  int64_t first_entry = 0;
  for (const BatchSequence& seq : args.batch->sequences) {
    const int64_t first_pos = std::max<int64_t>(begin - first_entry, 0);
    const int64_t end_pos = std::min<int64_t>(end - first_entry, seq.length);
    for (int64_t pos = first_pos; pos < end_pos; ++pos) {
      const int32_t block = seq.block_table[pos / block_positions];
      const int32_t offset = static_cast<int32_t>(pos % block_positions);
      LoadEntry(args, block * block_positions + offset, first_entry + pos);
    }
    first_entry += seq.length;
  }
}

}  // namespace infer::scalar
