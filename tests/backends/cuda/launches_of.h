// SPDX-License-Identifier: Apache-2.0
//
// The launches of a conformance case by value, without running them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/launch.h"
#include "tests/backends/cuda/case_runner.h"

namespace infer::cuda {

std::vector<Launch> LaunchesOf(const conformance::ConformanceCase& c, std::string_view kernel);
std::vector<std::string> FunctionsOf(const std::vector<Launch>& launches);

// A linear node with one token of each of `tokens` sequences.
conformance::ConformanceCase ProductCase(DType type, int32_t tokens, int64_t inner,
                                         int64_t outputs = 70);

}  // namespace infer::cuda
