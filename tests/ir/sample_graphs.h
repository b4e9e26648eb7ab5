// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace infer {

// One layer's worth of a small model at every stage, made without the text form: what a field holds
// is set here by hand. `stage` decides how much is there: ranges, placements, schedule, slots.
Graph SampleTextGraph(Stage stage);

}  // namespace infer
