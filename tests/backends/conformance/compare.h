// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/backends/conformance/reference.h"

namespace infer::conformance {

// Fails the running test where a result of `kernel` is further from the reference than the table
// allows, or is finite where the reference is not, or the other way round.
void ExpectConforms(const ConformanceCase& c, const CaseData& data, const KernelInfo& kernel,
                    const CaseResult& found, const CaseResult& expected);

}  // namespace infer::conformance
