// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backends/formats/dequantize_row.h"
#include "backends/scalar/ops.h"

namespace infer::scalar {

namespace {

// Loads the heads of one cache entry, side by side.
void LoadEntry(const KernelArgs& args, int32_t slot, int64_t entry) {
  const KvView& kv = args.inputs[0].kv;
  for (int32_t head = 0; head < kv.kv_heads; ++head) {
    const size_t from = kv.Offset(slot, head);
    const int64_t to = (entry * kv.kv_heads + head) * kv.head_dim;
    formats::DequantizeRow(kv.dtype, kv.k + from, kv.head_dim, args.out(0).mutable_f32() + to);
    formats::DequantizeRow(kv.dtype, kv.v + from, kv.head_dim, args.out(1).mutable_f32() + to);
  }
}

}  // namespace

// Entries are numbered across the call's sequences, each from position 0.
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
