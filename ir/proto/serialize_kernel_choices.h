// SPDX-License-Identifier: Apache-2.0
//
// Converts kernel candidates and kernel choices to and from their messages. Only for
// ir/proto/serialize*.cc.
#pragma once

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "ir/proto/graph.pb.h"

namespace infer {

// Covers the two tables of the Program; the regimes say which node has which choice.
void KernelChoicesToProto(const Program& program, proto::Program* out);
absl::Status ReadKernelChoices(const proto::Program& in, Program* program);

}  // namespace infer
