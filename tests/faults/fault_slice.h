// SPDX-License-Identifier: Apache-2.0
//
// Which of a tool's calls are tried: from the environment, or a slice for every day.
#pragma once

#include <cstdlib>

namespace infer {

// INFER_TEST_FAULT_STRIDE=1: every call.
inline int FaultStride(int everyday) {
  const char* asked = std::getenv("INFER_TEST_FAULT_STRIDE");
  return asked == nullptr ? everyday : std::atoi(asked);
}

// INFER_TEST_FAULT_FIRST: where to begin, so that several processes can share the work.
inline int FirstFault() {
  const char* asked = std::getenv("INFER_TEST_FAULT_FIRST");
  return asked == nullptr ? 1 : std::atoi(asked);
}

}  // namespace infer
