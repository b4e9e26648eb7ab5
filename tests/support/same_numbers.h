// SPDX-License-Identifier: Apache-2.0
//
// Two graphs are equal if they compute equal numbers. Here they do so on the scalar kernels, with
// every composite op decomposed: what a decomposition says is what an op means.
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "passes/pass.h"
#include "tests/support/graph_test.h"
#include "tests/support/program_numbers.h"

namespace infer::testing {

struct NumbersOptions {
  // Largest difference of two numbers, relative to the larger one if that is above 1. 0: the same
  // bits.
  double tolerance = 0;
  uint64_t seed = 1;  // of weights, inputs and caches
};

// Results and caches of calls with several numbers of tokens are the same with and without the
// pass. The text is at the stage that the pass needs; symbols without a range get the machine's.
void ExpectSameNumbers(std::unique_ptr<Pass> pass, std::string_view text,
                       const NumbersOptions& options = {},
                       const TestMachine& machine = TestMachine());
// The same for two graphs, imported or bound. They name their weights alike and have as many
// results.
void ExpectSameNumbers(std::string_view before, std::string_view after,
                       const NumbersOptions& options = {});
// The same for what RunCalls gives.
void ExpectSameNumbers(const std::vector<CallNumbers>& before,
                       const std::vector<CallNumbers>& after, double tolerance);

}  // namespace infer::testing
