// SPDX-License-Identifier: Apache-2.0
//
// Runs conformance cases through the back end: on the stand-in for the driver, or on a card.
#pragma once

#include "tests/backends/cuda/registry.h"
#include "tests/backends/metal/case_memory.h"

namespace infer::cuda {

using metal::CaseMemory;
using metal::Place;

// Whether the kernel takes the node of the case.
bool Takes(const KernelInfo& kernel, const conformance::ConformanceCase& c);

// What the kernel computes; a failure of the running test if it does not run.
conformance::CaseResult RunOnCuda(const conformance::ConformanceCase& c,
                                  const conformance::CaseData& data, const Node& node,
                                  const KernelInfo& kernel, Place place);

}  // namespace infer::cuda
