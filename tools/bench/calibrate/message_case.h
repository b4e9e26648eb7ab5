// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/ranks/collective_kernels.h"
#include "ir/graph/graph.h"
#include "ir/ops/message.h"
#include "runtime/memory_space.h"

namespace infer {

// One collective with its memory, to be timed. Between two of them products of a model read their
// weights, so that messages are no longer in the nearest cache: each run has the next of several
// copies of everything.
class MessageCase {
 public:
  // Of a rank's part, and whether the result stays rounded.
  struct Size {
    int64_t rows;
    int64_t columns;
    bool stays = false;
  };
  // `op` is all_gather or all_reduce. Results lie in common memory if the link's ranks share it, so
  // that all of them have to make the same cases.
  static absl::StatusOr<std::unique_ptr<MessageCase>> Create(const OpDef& op,
                                                             const MessageForm& form,
                                                             const RankLink& link, Size size);

  static constexpr int kCopies = 16;

  // Runs all copies `turns` times and returns the shortest time of a run in nanoseconds: other work
  // only makes it longer. `together` runs, a divisor of kCopies, are timed at once: more where a
  // run is short for the clock, fewer where ranks wait for each other.
  absl::StatusOr<double> LeastNs(int turns, int together);
  double result_elements() const;

 private:
  explicit MessageCase(const RankLink& link) : link_(link) {}

  struct Copy {
    std::vector<float> in;
    std::vector<std::byte> workspace;
    Operand input, output;
  };

  RankLink link_;
  std::unique_ptr<SpaceMemory> results_;  // of all copies
  Graph graph_;
  Node* node_ = nullptr;
  const CollectiveKernel* kernel_ = nullptr;
  std::vector<Copy> copies_;
};

}  // namespace infer
