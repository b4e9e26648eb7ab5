// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/base/json.h"
#include "ir/program/program.h"
#include "tools/report/program_view.h"
#include "tools/viz/choice_json.h"
#include "tools/viz/json_table.h"

namespace infer {

// Tables that regimes share: nodes, what they compute, placement records, and sizes of values.
struct VizTables {
  JsonTable nodes;
  JsonTable kinds;
  JsonTable records;
  JsonTable value_bytes;
  ChoiceTable* choices = nullptr;  // nullptr if the Program has no kernel choices
};

// Writes nodes, edges, steps and memory of a regime, with its totals.
Json RegimeJson(const Program& program, const RegimeView& regime, VizTables* tables);

}  // namespace infer
