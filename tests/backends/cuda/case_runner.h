// SPDX-License-Identifier: Apache-2.0
//
// Runs conformance cases through the back end: on the stand-in for the driver, or on a card.
#pragma once

#include <memory>

#include "runtime/backend.h"
#include "tests/backends/metal/case_memory.h"

namespace infer::cuda {

using metal::CaseMemory;
using metal::Place;

// The back end under test, and why it cannot be used.
struct TestedBackend {
  std::unique_ptr<Backend> backend;
  std::string why_not;
};
// Defined by the test: the stand-in, or the card of this machine.
TestedBackend& Cuda();

// Whether the kernel takes the node of the case.
bool Takes(const KernelInfo& kernel, const conformance::ConformanceCase& c);

// What the kernel computes; a failure of the running test if it does not run.
conformance::CaseResult RunOnCuda(const conformance::ConformanceCase& c,
                                  const conformance::CaseData& data, const Node& node,
                                  const KernelInfo& kernel, Place place);

}  // namespace infer::cuda
