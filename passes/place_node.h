// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/status/statusor.h"
#include "ir/graph/placement.h"
#include "passes/pass.h"

namespace infer {

// Returns target and kernel of the node as the policy says, with the reasons. No part of a
// composite op is placed by itself.
absl::StatusOr<Placement> PlaceNode(const Node& node, const SymbolRanges& symbols,
                                    const PassContext& context);

}  // namespace infer
