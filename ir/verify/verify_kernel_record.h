// SPDX-License-Identifier: Apache-2.0
//
// Only for ir/verify/verifier.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/graph/graph.h"

namespace infer {

// Whether what a placement says of its kernel can be true of a kernel for the node. The loader
// compares it with the kernel itself.
absl::Status VerifyKernelRecord(const Node& node);

}  // namespace infer
