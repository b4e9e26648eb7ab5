// SPDX-License-Identifier: Apache-2.0
#include "runtime/sample_rows.h"

namespace infer {

void SampleRows(std::span<const RowToSample> rows, const ParallelFor& parallel,
                std::span<absl::StatusOr<SampledToken>> tokens) {
  // One pointer, which std::function holds without allocating.
  struct Call {
    std::span<const RowToSample> rows;
    std::span<absl::StatusOr<SampledToken>> tokens;
  } call = {rows, tokens};
  parallel(static_cast<int64_t>(rows.size()), [&call](int64_t i) {
    const RowToSample& row = call.rows[i];
    call.tokens[i] = row.forced >= 0 ? SampledToken{row.forced, 1.0}
                                     : row.sampler->Sample(row.logits, row.constraint);
    if (row.logprobs != nullptr && call.tokens[i].ok()) {
      ComputeLogprobs(row.logits, call.tokens[i]->id, row.logprobs);
    }
  });
}

}  // namespace infer
