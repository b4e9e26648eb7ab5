// SPDX-License-Identifier: Apache-2.0
//
// Prints a Program in a terminal: its regimes, and its nodes as a tree with equal layers folded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/program/program.h"

namespace infer {

struct TextTreeOptions {
  std::vector<int64_t> layers = {};  // layers to show one by one; empty means folded
  int64_t tokens = 1;                // the regime whose estimates are shown
  bool color = false;
};

std::string TextTree(const Program& program, const TextTreeOptions& options);

}  // namespace infer
