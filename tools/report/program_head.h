// SPDX-License-Identifier: Apache-2.0
//
// Describes what a Program was made from, for the head of reports and the captions of drawings: two
// Programs with one policy differ if flags placed some nodes, or if estimates are for another
// machine.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ir/program/program.h"

namespace infer {

struct HeadLine {
  std::string label;  // "placed"
  std::string text;   // "place op=linear=simd"
};

// Returns a line for each rule that the command line gave, then the machine of the estimates if
// there is one.
std::vector<HeadLine> PlacedLines(const Program& program);

// Returns model and policy, then those lines, with their texts at column `margin`.
std::string HeadText(const Program& program, size_t margin);

// Returns the same lines as captions: "placed place op=linear=simd".
std::vector<std::string> PlacedCaptions(const Program& program);

}  // namespace infer
