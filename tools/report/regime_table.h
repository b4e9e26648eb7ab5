// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "ir/base/json.h"
#include "tools/report/program_view.h"

namespace infer {

// Returns a line for each regime: tokens, name, nodes by target, cuts (boundaries between devices),
// serial steps, barriers, arena, estimated time of a call at both ends.
std::string RegimeTable(std::span<const RegimeView> regimes);

// Returns "scalar 441 parallel 25", the target with the most nodes first.
std::string TargetsText(const RegimeTotals& totals);

// Returns {"tokens": [1, 3], "name": "T 1..3", "nodes": {"parallel": 25, ...}, ...}.
Json TotalsJson(const RegimeView& regime);

}  // namespace infer
