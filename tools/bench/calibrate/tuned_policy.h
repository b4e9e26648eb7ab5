// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/calibrate/crossovers.h"
#include "tools/bench/policy_race.h"

namespace infer {

// Result of racing the rules of a tuned policy against a single target for everything, on the
// bundled model.
struct TunedCheck {
  bool keep = true;                 // no slower anywhere, and faster somewhere
  Target best = Target::kParallel;  // the best single target
  std::string table;                // the measurements; empty if none were taken
};

// `races` are those of the tuned policy, simd and parallel, in this order.
TunedCheck CheckTuned(const std::vector<RaceTimes>& races);

// The number of rows from which a GPU takes everything. It is measured on whole calls, because the
// cost of a single node on a GPU is mostly the transfer there and back.
struct GpuCrossover {
  int64_t rows = 0;   // 0 means at no size
  std::string table;  // the measurements; empty if there is no GPU
  Target target = Target::kMetal;
};

// `races` are those of the tuned policy and of everything on the GPU, by ascending tokens.
GpuCrossover FindGpuCrossover(const std::vector<RaceTimes>& races, Target target);

// Returns the text of a policy file made from crossovers: for each op its rules, below the times
// that they follow from. `machine` and `threads` say where the times were taken. If the check does
// not keep the rules, a single target for everything replaces them.
std::string TunedPolicyText(std::span<const Crossover> crossovers, std::string_view machine,
                            int64_t threads, const TunedCheck& check = {},
                            const GpuCrossover& gpu = {});

}  // namespace infer
