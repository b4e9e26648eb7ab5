// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/backends/conformance/conformance_case.h"

namespace infer::metal {

// Where the kernels of this target change: around the thresholds of the device classes and the
// edges of tiles, with rows that end within a step. They come on top of conformance::AllCases().
std::vector<conformance::ConformanceCase> EdgeCases();

}  // namespace infer::metal
