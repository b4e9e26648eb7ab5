// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "backends/scalar/ops.h"

namespace infer::scalar {

// The columns are the cache entries of the call's sequences, one sequence after the other, each
// from position 0: the rows of kv_read.
void AttnMask(const KernelArgs& args, int64_t begin, int64_t end) {
  const Batch& batch = *args.batch;
  const int64_t entries = args.out().columns();
  for (int64_t token = begin; token < end; ++token) {
    const float* scores = args.in(0).f32() + token * entries;
    float* out = args.out().mutable_f32() + token * entries;
    int64_t entry = 0;
    for (size_t seq = 0; seq < batch.sequences.size(); ++seq) {
      const bool own = static_cast<int32_t>(seq) == batch.token_seq[token];
      for (int32_t pos = 0; pos < batch.sequences[seq].length; ++pos, ++entry) {
        const bool visible = own && pos <= batch.token_pos[token];
        out[entry] = visible ? scores[entry] : -std::numeric_limits<float>::infinity();
      }
    }
  }
}

}  // namespace infer::scalar
