// SPDX-License-Identifier: Apache-2.0
//
// Guesses the next tokens of a text. A guess is checked by running it: sampling goes on along the
// draft while the samples equal it, so drafts change the speed of a text and never the text.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"

namespace infer {

class Drafter {
 public:
  virtual ~Drafter() = default;
  // Replaces `draft` by up to `most` tokens that may follow `text`. `text` extends or repeats what
  // it was at the last call, or is another text.
  virtual absl::Status Propose(std::span<const int32_t> text, int64_t most,
                               std::vector<int32_t>* draft) = 0;
};

// What became of drafts.
struct DraftCounts {
  int64_t proposed = 0;  // tokens
  int64_t accepted = 0;
  int64_t calls = 0;  // of the model, for generated tokens
};

}  // namespace infer
