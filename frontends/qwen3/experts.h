// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"

namespace infer {

// The experts of every layer of a Qwen3 MoE.
struct Qwen3Experts {
  int64_t count = 0;
  int64_t used = 0;          // by each token
  int64_t feed_forward = 0;  // rows of an expert's gate and up matrices
};

// Reads the keys qwen3moe.expert_*. Returns an error for a missing, mistyped or impossible number,
// and for experts in a form that this runtime does not run: with gate and up in one tensor, shared,
// in groups, or with probabilities that are not normed.
absl::StatusOr<Qwen3Experts> ReadQwen3Experts(const GgufFile& file);

}  // namespace infer
