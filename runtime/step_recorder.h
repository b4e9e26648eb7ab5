// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ir/program/program.h"
#include "runtime/step_events.h"

namespace infer {

// A completed call with what its threads did.
struct RecordedCall {
  int regime = 0;  // of the Program
  SymbolValues symbols;
  int64_t start_ns = 0;  // of the whole call, by StepClockNs
  int64_t end_ns = 0;
  const StepEvents* events = nullptr;  // overwritten by the next call
};

// Sees each call between it and the next one.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void AfterCall(const RecordedCall& call) = 0;
};

// Has the steps of calls timed and shows them to its observers. Owns the memory of one call's
// events; who wants to keep more copies them.
class StepRecorder {
 public:
  // `threads`: as many as the device runs steps with.
  StepRecorder(const Program& program, int threads);

  // The observer must outlive the recorder's calls.
  void Add(CallObserver* observer) { observers_.push_back(observer); }

  // For the executor, around a call. A call that fails or is stopped has no end.
  StepEvents* Begin(int regime);
  void End(const SymbolValues& symbols);

 private:
  std::vector<StepEvents> events_;  // by regime
  std::vector<CallObserver*> observers_;
  int regime_ = 0;
  int64_t start_ns_ = 0;
};

}  // namespace infer
