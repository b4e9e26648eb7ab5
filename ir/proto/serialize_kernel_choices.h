// SPDX-License-Identifier: Apache-2.0
//
// What kernels there were to choose from, to and from its messages. Only for ir/serialize*.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "ir/proto/graph.pb.h"

namespace infer {

// The two tables; which choice is which node's stands in the regimes.
void KernelChoicesToProto(const Program& program, proto::Program* out);
absl::Status ReadKernelChoices(const proto::Program& in, Program* program);

}  // namespace infer
