// SPDX-License-Identifier: Apache-2.0
//
// Two graphs are equal if they compute equal numbers. They are run here on the scalar kernels, with
// every composite op decomposed: the decomposition of an op defines its meaning.
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "passes/pass.h"
#include "tests/support/graph_test.h"
#include "tests/support/program_numbers.h"

namespace infer::test {

struct NumbersOptions {
  // Largest difference of two numbers, relative to the larger one if that is above 1. 0 means the
  // same bits.
  double tolerance = 0;
  uint64_t seed = 1;  // for weights, inputs and caches
};

// Expects results and caches of calls with several numbers of tokens to be the same with and
// without the pass. The text is at the stage that the pass needs; symbols without a range get the
// machine's.
void ExpectSameNumbers(std::unique_ptr<Pass> pass, std::string_view text,
                       const NumbersOptions& options = {},
                       const TestMachine& machine = TestMachine());
// As above, for two graphs, imported or bound. They use the same weight names and have the same
// number of results.
void ExpectSameNumbers(std::string_view before, std::string_view after,
                       const NumbersOptions& options = {});
// As above, for what RunCalls returns.
void ExpectSameNumbers(const std::vector<CallNumbers>& before,
                       const std::vector<CallNumbers>& after, double tolerance);

}  // namespace infer::test
