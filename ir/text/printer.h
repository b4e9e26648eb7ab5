// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"
#include "ir/program/program.h"

namespace infer {

enum class NameStyle {
  kGiven,      // the names that nodes carry; made unique by a number where two are equal
  kRenumbered  // %0, %1, ... in order: two graphs that differ in names only print alike
};

// Everything the graph holds, placements and plan included; ParseGraph reads it back.
std::string PrintGraph(const Graph& graph, NameStyle names = NameStyle::kGiven);
std::string PrintProgram(const Program& program);

}  // namespace infer
