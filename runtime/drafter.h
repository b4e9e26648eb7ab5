// SPDX-License-Identifier: Apache-2.0
//
// Guesses the next tokens of a text. A guess is checked by running it: sampling goes on along the
// draft while the samples equal it, so drafts change the speed of a text and never the text.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"

namespace infer {

class Drafter {
 public:
  virtual ~Drafter() = default;
  // Prepares for a text that begins with `prompt`, so that the first proposal takes no longer than
  // the others. Returns kCancelled if `stop`, which may be null, is set meanwhile.
  virtual absl::Status Begin(std::span<const int32_t> /*prompt*/,
                             const std::atomic<bool>* /*stop*/) {
    return absl::OkStatus();
  }
  // Replaces `draft` by up to `most` tokens that may follow `text`. `text` extends or repeats what
  // it was at the last call, or is another text. Returns kCancelled if `stop`, which may be null,
  // is set meanwhile.
  virtual absl::Status Propose(std::span<const int32_t> text, int64_t most,
                               const std::atomic<bool>* stop, std::vector<int32_t>* draft) = 0;
};

// What became of drafts.
struct DraftCounts {
  int64_t proposed = 0;  // tokens
  int64_t accepted = 0;
  int64_t calls = 0;  // of the model, for generated tokens
  double cost = 0;    // of these calls, in calls without a draft; 0 if unknown

  DraftCounts& operator+=(const DraftCounts& other) {
    proposed += other.proposed;
    accepted += other.accepted;
    calls += other.calls;
    cost += other.cost;
    return *this;
  }
  // How many times faster the text was made than without drafts; 0 if unknown.
  double gain() const { return cost > 0 ? static_cast<double>(calls + accepted) / cost : 0; }
};

}  // namespace infer
