// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace infer {

// Returns how a node of a divided model is divided, and why: "collects what 2 ranks have: rms_norm
// needs whole rows", "1/2 of its weights along axis 0: each column by itself", "all of its weight
// on every rank: ...". Empty for a node that has nothing to say about it.
std::string ShardText(const Node& node);

}  // namespace infer
