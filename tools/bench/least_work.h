// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/program/program.h"

namespace infer {

// The minimum work of a call, whatever kernels it uses.
struct LeastWork {
  double linear_flops = 0;  // of products with weight matrices
  double bytes = 0;         // each weight matrix once, plus the cache visible to the call

  LeastWork& operator+=(const LeastWork& other) {
    linear_flops += other.linear_flops;
    bytes += other.bytes;
    return *this;
  }
};

// Returns the work of a call of `tokens` tokens after `depth` cache entries, with logits for one
// row.
LeastWork LeastWorkOfCall(const Program& program, int64_t tokens, int64_t depth);

// Returns the work of `prompt` tokens in chunks of at most `chunk`, then `generated` tokens one at
// a time.
LeastWork LeastWorkOfTest(const Program& program, int64_t prompt, int64_t generated, int64_t depth,
                          int64_t chunk);

}  // namespace infer
