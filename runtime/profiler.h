// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ir/program/program.h"
#include "runtime/profile.h"
#include "runtime/step_recorder.h"

namespace infer {

// Aggregates the calls of a run into a profile. Memory for a group of calls is allocated after its
// first call, before the next one.
class Profiler : public CallObserver {
 public:
  // Number of most recent calls whose times are kept for the percentiles: 2 KiB per node and group.
  static constexpr int64_t kKeptCalls = 512;

  // Takes the description of the run from the Program; does not keep `program`.
  Profiler(const Program& program, int threads);

  void AfterCall(const RecordedCall& call) override;

  // Returns the measurements so far, without estimates.
  Profile Finish() const;

 private:
  struct Group {
    CallGroup sums;
    std::vector<uint32_t> kept_ns;      // [node][call % kKeptCalls]
    std::vector<int64_t> kept_wall_ns;  // [call % kKeptCalls]
  };
  struct RegimeCalls {
    std::vector<int32_t> steps;  // step numbers of the nodes in the plan
    std::vector<Group> groups;   // by power of two; empty where there was no call
  };

  static void AddExperts(const StepEvents& events, std::span<const int32_t> steps, CallGroup* sums);
  void AddStep(const RecordedCall& call, int32_t step, NodeTiming* timing, uint32_t* kept_ns) const;

  Profile profile_;  // without groups
  std::vector<RegimeCalls> regimes_;
};

}  // namespace infer
