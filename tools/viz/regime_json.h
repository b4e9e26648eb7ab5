// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "ir/program/program.h"
#include "tools/api/report/program_view.h"
#include "tools/viz/choice_json.h"
#include "tools/viz/json_table.h"

namespace infer {

// What regimes share: nodes, what they compute, records of placements, and sizes of values.
struct VizTables {
  JsonTable nodes;
  JsonTable kinds;
  JsonTable records;
  JsonTable value_bytes;
  ChoiceTable* choices = nullptr;  // nullptr: the Program has no offers
};

// Nodes, edges, steps and memory of a regime, with its totals.
nlohmann::ordered_json RegimeJson(const Program& program, const RegimeView& regime,
                                  VizTables* tables);

}  // namespace infer
