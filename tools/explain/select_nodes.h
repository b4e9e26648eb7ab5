// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/report/program_view.h"

namespace infer {

// Returns the ids of the nodes that `what` selects: an id; the name, scope or origin of a result
// (whole, a prefix up to a slash, without its layer, or a pattern with * and ?); a weight that they
// read; an op or op family as in rules; or "all". Returns a usage error with the nearest name if
// there are none.
absl::StatusOr<std::set<uint64_t>> SelectNodes(std::span<const RegimeView> regimes,
                                               std::string_view what);

}  // namespace infer
