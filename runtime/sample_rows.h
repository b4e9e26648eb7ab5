// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "absl/status/statusor.h"
#include "ir/base/parallel_for.h"
#include "runtime/row_logprobs.h"
#include "runtime/sampler.h"

namespace infer {

// A row of logits and the sampler of its sequence. Rows of one call have different samplers and
// constraints.
struct RowToSample {
  Sampler* sampler = nullptr;
  std::span<const float> logits;
  const TokenConstraint* constraint = nullptr;  // of its sequence
  int32_t forced = -1;                          // the token to take without sampling; -1: none
  RowLogprobs* logprobs = nullptr;              // filled if not null
  TopLogits top = {};                           // may be empty
};

// Samples every row, shared out by `parallel`; `tokens` has an entry for each row. A row depends on
// its own sampler alone, so the tokens are those of sampling one row after the other.
//
// If `fetch` is not empty, `logits` are in place only once it has run: it is called, once, if a row
// needs them, and its error is that of the rows that do.
void SampleRows(std::span<const RowToSample> rows, const ParallelFor& parallel,
                std::span<absl::StatusOr<SampledToken>> tokens,
                const std::function<absl::Status()>& fetch = {});

}  // namespace infer
