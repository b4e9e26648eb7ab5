// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer {

// Calls of operator new in this process so far. Linking counting_new.cc replaces the operator.
int64_t AllocationCount();

}  // namespace infer
