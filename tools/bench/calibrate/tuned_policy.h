// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/bench/calibrate/crossovers.h"

namespace infer {

// A policy file made of crossovers: for each op the rules that follow from them, under the times
// that they follow from. `machine` and `threads` say where they were taken.
std::string TunedPolicyText(std::span<const Crossover> crossovers, std::string_view machine,
                            int64_t threads);

}  // namespace infer
