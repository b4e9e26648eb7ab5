// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include "tests/backends/conformance/conformance_case.h"

namespace infer::metal {

// Around the thresholds of the device classes and the edges of tiles.
inline constexpr std::array<int32_t, 7> kEdgeRows = {1, 2, 7, 8, 9, 31, 33};

// Where the kernels of this target change: those numbers of tokens, with rows that end within a
// step. They come on top of conformance::AllCases().
std::vector<conformance::ConformanceCase> EdgeCases();

// One case of conformance::AllCases() for each kernel, with every number of rows.
std::vector<conformance::ConformanceCase> CasesOfEveryKernel();

// How many rows the op makes: its tokens, or what select_rows selects.
int64_t RowsOfCase(const conformance::ConformanceCase& c);

}  // namespace infer::metal
