// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/program.h"
#include "tools/model/memory_estimate.h"

namespace infer {

// What infer-compile prints: regimes, nodes and bytes per target, device boundaries, memory.
std::string Summarize(const Program& program, const MemoryEstimate& memory);

}  // namespace infer
