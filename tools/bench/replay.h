// SPDX-License-Identifier: Apache-2.0
//
// Runs a model along a text that is known, as if the text were sampled from it. So the time of
// drafts can be measured with any model and for any text.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/draft_run.h"
#include "runtime/engine.h"

namespace infer {

struct ReplayedText {
  SequenceId sequence = 0;
  std::span<const int32_t> tokens;  // the sequence has the first ones already
  DraftSource drafts = {};
};

// Runs the rest of all texts, one call after the other with all that are not done. The logits after
// the tokens that the sequences have must have been computed.
struct ReplayResult {
  DraftCounts drafts;  // of all texts
  int64_t calls = 0;   // of the model
};
absl::StatusOr<ReplayResult> Replay(Engine& engine, std::span<const ReplayedText> texts,
                                    const std::atomic<bool>* stop);

}  // namespace infer
