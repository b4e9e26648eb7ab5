// SPDX-License-Identifier: Apache-2.0
//
// Only for ir/verify/verifier.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/graph/graph.h"

namespace infer {

// Checks that what a placement says about its kernel is possible for a kernel of this node. The
// loader compares it with the kernel itself.
absl::Status VerifyKernelRecord(const Node& node);

}  // namespace infer
