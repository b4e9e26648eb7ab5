// SPDX-License-Identifier: Apache-2.0
//
// Formats the tables at the end of a comparison's text.
#pragma once

#include <string>

#include "tools/diff/diff.h"

namespace infer {

std::string Shift(const std::string& a, const std::string& b);  // "a -> b"; "a" if equal

std::string RegimesText(const ProgramDiff& diff);
// Returns both sides' estimates at both ends of every interval, and the difference.
std::string EstimatesText(const ProgramDiff& diff);
std::string MemoryText(const ProgramDiff& diff);

}  // namespace infer
