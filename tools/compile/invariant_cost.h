// SPDX-License-Identifier: Apache-2.0
//
// What it costs that a Program is invariant.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/api/compile_model.h"

namespace infer {

struct InvariantCost {
  int64_t tokens = 0;  // of a call on an empty cache
  double ratio = 1;    // of its estimated time to that of a Program that is not invariant
};

// Compiles the model again without invariance, with `options` otherwise, and compares calls of the
// least and the most tokens. Empty if the Program is not invariant or has no estimates, or if the
// model cannot be compiled without invariance.
std::vector<InvariantCost> InvariantCosts(const Program& program, const ModelFile& model,
                                          const KernelCatalog& catalog,
                                          CompileModelOptions options);

// Formats a line: "invariant  1 token: +0.0 %, 512 tokens: +31.2 % time by the estimates".
std::string ToText(const std::vector<InvariantCost>& costs);

}  // namespace infer
