// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/ranks/collective_kernels.h"
#include "ir/graph/graph.h"
#include "ir/ops/message.h"

namespace infer {

// One collective with its memory, to be timed. Between two of them products of a model read their
// weights, so that messages are no longer in the nearest cache: each run has the next of several
// copies of everything.
class MessageCase {
 public:
  // `op` is all_gather or all_reduce; `columns` are those of a rank's part.
  MessageCase(const OpDef& op, const MessageForm& form, int ranks, int64_t rows, int64_t columns);

  // Returns the shortest mean time, in nanoseconds, of `turns` runs of each copy: other work only
  // makes it longer.
  absl::StatusOr<double> LeastNs(const RankLink& link, int turns);
  double result_elements() const;

 private:
  struct Copy {
    std::vector<float> in, out;
    std::vector<std::byte> workspace;
    Operand input, output;
  };

  Graph graph_;
  Node* node_ = nullptr;
  const CollectiveKernel* kernel_ = nullptr;
  std::vector<Copy> copies_;
};

}  // namespace infer
