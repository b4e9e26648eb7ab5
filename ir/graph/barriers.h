// SPDX-License-Identifier: Apache-2.0
//
// Where threads that share out the steps of a plan must meet.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/plan.h"

namespace infer {

// Whether two sliced steps, one after the other, can do without a barrier if both are cut by rows:
// of what `first` computes, a thread reads in `second` only the rows that it has computed itself.
bool CutByTheSameRows(const Node& first, const Node& second);

// For each step, counted over all segments, the step after which every thread has done it. Until
// then a thread that is late may still read what the others no longer need.
std::vector<int32_t> MeetingSteps(const Plan& plan);

}  // namespace infer
