// SPDX-License-Identifier: Apache-2.0
//
// Converts placements to and from their message. Only for ir/proto/serialize*.cc.
#pragma once

#include "absl/status/statusor.h"
#include "ir/graph/placement.h"
#include "ir/proto/graph.pb.h"

namespace infer {

void PlacementToProto(const Placement& placement, proto::Placement* out);
absl::StatusOr<Placement> PlacementFromProto(const proto::Placement& in);

}  // namespace infer
