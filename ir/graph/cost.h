// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ir/graph/shape.h"

namespace infer {

// What a node takes, as a function of the symbols.
struct Cost {
  SymbolicCount flops;
  SymbolicCount bytes;
  bool operator==(const Cost&) const = default;
};

}  // namespace infer
