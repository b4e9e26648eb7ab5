// SPDX-License-Identifier: Apache-2.0
//
// Runs work on large memory piece by piece, on several threads, with progress and a way to stop.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "ir/base/parallel_for.h"

namespace infer {

struct PieceWork {
  ParallelFor parallel = SerialFor;
  // Called by the caller's thread only, from 0 to the total; may be empty.
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress = {};
  const std::atomic<bool>* stop = nullptr;  // ends the work once it is true

  bool stopped() const { return stop != nullptr && stop->load(std::memory_order_relaxed); }
};

// Calls run(i) for each piece, in ascending batches of about 32 MiB: pieces of one batch run in any
// order and on any thread. `batch_done`, which may be empty, gets the number of pieces done so far.
// Returns kCancelled once `stop` is true; pieces that have begun are completed first.
absl::Status RunPieces(std::span<const uint64_t> piece_bytes, const PieceWork& work,
                       const std::function<void(int64_t piece)>& run,
                       const std::function<void(int64_t pieces)>& batch_done = {});

}  // namespace infer
