// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "ir/program/program.h"
#include "runtime/profile.h"
#include "runtime/step_recorder.h"

namespace infer {

// Adds up the calls of a run. Memory for a group of calls is taken at its first call, between that
// and the next one.
class Profiler : public CallObserver {
 public:
  // Calls whose times are kept for the percentiles: the last ones, 2 KiB a node and group.
  static constexpr int64_t kKeptCalls = 512;

  // Fills in what the Program says; `program` is not kept.
  Profiler(const Program& program, int threads);

  void AfterCall(const RecordedCall& call) override;

  // What was measured so far, without estimates.
  Profile Finish() const;

 private:
  struct Group {
    CallGroup sums;
    std::vector<uint32_t> kept_ns;      // [node][call % kKeptCalls]
    std::vector<int64_t> kept_wall_ns;  // [call % kKeptCalls]
  };
  struct RegimeCalls {
    std::vector<int32_t> steps;  // of the nodes, in the plan
    std::vector<Group> groups;   // by power of two; empty where no call was
  };

  void AddStep(const RecordedCall& call, int32_t step, NodeTiming* timing, uint32_t* kept_ns) const;

  Profile profile_;  // without groups
  std::vector<RegimeCalls> regimes_;
};

}  // namespace infer
