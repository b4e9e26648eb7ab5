// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"

namespace infer::test {

// The state after a call: results and caches.
struct CallNumbers {
  struct Tensor {
    DType dtype = DType::kF32;
    std::vector<std::byte> bytes;
  };
  int64_t tokens = 0;
  std::vector<Tensor> results;  // of the graph, in order
  std::vector<Tensor> caches;   // K, then V of each state, in the order of their ids
};

// Runs calls of the Program on the built-in kernels: with the fewest tokens that it accepts and one
// more, the most and one less, and a number in between. All inputs are random and depend on the
// seed alone. A call has two sequences (one if there is only one token) whose paged caches hold
// some history, as far as the range of S allows, and asks for the last rows of each.
absl::StatusOr<std::vector<CallNumbers>> RunCalls(Program program, const WeightSource& weights,
                                                  uint64_t seed);

}  // namespace infer::test
