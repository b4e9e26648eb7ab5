// SPDX-License-Identifier: Apache-2.0
#include "runtime/sample_rows.h"

#include <algorithm>

namespace infer {
namespace {

constexpr SampledToken kUndecided = {-1, 0.0};

bool IsUndecided(const absl::StatusOr<SampledToken>& token) {
  return token.ok() && token->id == kUndecided.id;
}

// One pointer to it is what std::function holds without allocating.
struct Call {
  std::span<const RowToSample> rows;
  std::span<absl::StatusOr<SampledToken>> tokens;
};

// Leaves rows undecided that take more than the largest logits.
void SampleTops(Call& call, const ParallelFor& parallel) {
  parallel(static_cast<int64_t>(call.rows.size()), [&call](int64_t i) {
    const RowToSample& row = call.rows[i];
    call.tokens[i] = kUndecided;
    if (row.logprobs != nullptr) return;
    if (row.forced >= 0) {
      call.tokens[i] = SampledToken{row.forced, 1.0};
    } else if (const auto token = row.sampler->SampleTop(row.top, row.constraint)) {
      call.tokens[i] = *token;
    }
  });
}

void SampleUndecided(Call& call, const ParallelFor& parallel) {
  parallel(static_cast<int64_t>(call.rows.size()), [&call](int64_t i) {
    const RowToSample& row = call.rows[i];
    if (!IsUndecided(call.tokens[i])) return;
    call.tokens[i] = row.forced >= 0 ? SampledToken{row.forced, 1.0}
                                     : row.sampler->Sample(row.logits, row.constraint);
    if (row.logprobs != nullptr && call.tokens[i].ok()) {
      ComputeLogprobs(row.logits, call.tokens[i]->id, row.logprobs);
    }
  });
}

}  // namespace

void SampleRows(std::span<const RowToSample> rows, const ParallelFor& parallel,
                std::span<absl::StatusOr<SampledToken>> tokens,
                const std::function<absl::Status()>& fetch) {
  Call call = {rows, tokens.first(rows.size())};
  if (!fetch) {
    std::ranges::fill(call.tokens, kUndecided);
  } else {
    SampleTops(call, parallel);
    if (std::ranges::none_of(call.tokens, IsUndecided)) return;
    if (const absl::Status fetched = fetch(); !fetched.ok()) {
      std::ranges::replace_if(call.tokens, IsUndecided, fetched);
      return;
    }
  }
  SampleUndecided(call, parallel);
}

}  // namespace infer
