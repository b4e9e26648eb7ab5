// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"
#include "ir/program/program.h"

namespace infer {

enum class NameStyle {
  kGiven,      // the names that nodes carry; equal names are made unique by a number
  kRenumbered  // %0, %1, ... in order: graphs that differ only in names print alike
};

// Prints everything the graph holds, including placements and plan; ParseGraph reads it back.
std::string PrintGraph(const Graph& graph, NameStyle names = NameStyle::kGiven);
std::string PrintProgram(const Program& program);

}  // namespace infer
