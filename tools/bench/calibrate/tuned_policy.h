// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/bench/calibrate/crossovers.h"
#include "tools/bench/policy_race.h"

namespace infer {

// How the rules of a tuned policy did beside one target for everything, on the bundled model.
struct TunedCheck {
  bool keep = true;                 // no slower anywhere, and faster somewhere
  Target best = Target::kParallel;  // of one target for everything
  std::string table;                // what was measured; empty: nothing was
};

// `races` are of the tuned policy, simd and parallel, in this order.
TunedCheck CheckTuned(const std::vector<RaceTimes>& races);

// From how many rows on a GPU takes everything. Whole calls tell it: what a single node costs there
// is mostly the way to it and back.
struct GpuCrossover {
  int64_t rows = 0;   // 0: at no size
  std::string table;  // what was measured; empty: there is no GPU
};

// `races` are of the tuned policy and of everything on the GPU, by ascending tokens.
GpuCrossover FindGpuCrossover(const std::vector<RaceTimes>& races);

// A policy file made of crossovers: for each op the rules that follow from them, under the times
// that they follow from. `machine` and `threads` say where they were taken.
// With a check that does not keep the rules, one target for everything is left of them.
std::string TunedPolicyText(std::span<const Crossover> crossovers, std::string_view machine,
                            int64_t threads, const TunedCheck& check = {},
                            const GpuCrossover& gpu = {});

}  // namespace infer
