// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/backends/conformance/case_data.h"

namespace infer::conformance {

// What a call gives: its tensors in the op's order, and the cache afterwards.
struct CaseResult {
  std::vector<TestTensor> tensors;
  std::optional<TestCache> cache;
};

// The case on the scalar kernels; a composite op by its decomposition.
CaseResult RunReference(const ConformanceCase& c, const CaseData& data);

// The case on one kernel of a table.
CaseResult RunKernel(const ConformanceCase& c, const CaseData& data,
                     std::span<const CpuKernel> table, const CpuKernel& kernel,
                     std::span<const WeightLayout> layouts);

}  // namespace infer::conformance
