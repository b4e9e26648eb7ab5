// SPDX-License-Identifier: Apache-2.0
//
// Writes what EstimateCall adds to the estimates of nodes, so that pages can add it up for other
// placements: page/src/call_overhead.js.
#pragma once

#include "ir/base/json.h"
#include "ir/policy/machine.h"
#include "ir/program/program.h"
#include "tools/report/program_view.h"
#include "tools/viz/json_table.h"

namespace infer {

// Writes the costs of a call, of a segment by target, and of a value that crosses between devices.
Json CallCostsJson(const MachineDescription& machine);

// Returns whether the Program could have nodes on two devices, so that values could cross.
bool HasValuesThatCross(const Program& program);

// Writes [node, its bytes in the table, 1 if it is a result of the graph, nodes that read it] for
// every value that can cross. The node is the difference from that of the previous value, starting
// from 0; -1 is an input of the graph. Readers are differences from the node.
Json ValuesJson(const RegimeView& regime, const MachineDescription& machine, JsonTable* bytes);

}  // namespace infer
