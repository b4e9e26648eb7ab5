// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ir/program/program.h"

namespace infer {

// What a call must do at least, whatever kernels it uses.
struct LeastWork {
  double linear_flops = 0;  // of products with weight matrices
  double bytes = 0;         // weight matrices once, and the cache that is visible to the call

  LeastWork& operator+=(const LeastWork& other) {
    linear_flops += other.linear_flops;
    bytes += other.bytes;
    return *this;
  }
};

// A call of `tokens` tokens with logits of one row, behind `depth` cache entries.
LeastWork LeastWorkOfCall(const Program& program, int64_t tokens, int64_t depth);

// `prompt` tokens in chunks of at most `chunk`, then `generated` tokens one at a time.
LeastWork LeastWorkOfTest(const Program& program, int64_t prompt, int64_t generated, int64_t depth,
                          int64_t chunk);

}  // namespace infer
