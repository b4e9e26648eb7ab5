// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/program/program.h"
#include "runtime/collective.h"
#include "runtime/step_events.h"

namespace infer {

// A completed call and what its threads did.
struct RecordedCall {
  int regime = 0;  // index in the Program
  SymbolValues symbols;
  int64_t start_ns = 0;  // of the whole call, from StepClockNs
  int64_t end_ns = 0;
  const StepEvents* events = nullptr;  // overwritten by the next call
};

// Receives each call after it has completed and before the next one starts.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void AfterCall(const RecordedCall& call) = 0;
};

// Records the step times of calls and passes them to its observers. Owns the memory for the events
// of one call; observers copy what they want to keep.
class StepRecorder {
 public:
  // `threads` is the number of threads with which the device runs steps.
  StepRecorder(const Program& program, int threads);
  // For a divided model: every rank has one, and their calls are recorded together. On rank 0
  // `rank_threads` has the number of threads of each rank, and the events are those of all of them;
  // on the others it has their own.
  StepRecorder(const Program& program, std::span<const int> rank_threads, Collective* transport);

  // The observer must outlive the recorder's calls.
  void Add(CallObserver* observer) { observers_.push_back(observer); }

  // Called by the executor around a call. End is not called if the call fails or is stopped.
  StepEvents* Begin(int regime);
  void End(const SymbolValues& symbols);
  // Whether calls lack the times of the other ranks, which run other steps.
  bool lacks_ranks() const { return lacks_ranks_; }

 private:
  std::vector<StepEvents> events_;      // indexed by regime
  std::vector<uint64_t> steps_hashes_;  // likewise
  std::vector<CallObserver*> observers_;
  int threads_;                      // of this rank
  Collective* transport_ = nullptr;  // null unless the model is divided
  int regime_ = 0;
  int64_t start_ns_ = 0;
  bool lacks_ranks_ = false;
};

}  // namespace infer
