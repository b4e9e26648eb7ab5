// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/api/report/program_view.h"

namespace infer {

// The ids of the nodes that `what` means: an id, the name, scope or origin of a result (whole, the
// beginning of one up to a slash, without its layer, or a pattern with * and ?), a weight that they
// read, an op or the family of one as rules have it, or "all". A usage error with the nearest name
// if there are none.
absl::StatusOr<std::set<uint64_t>> SelectNodes(std::span<const RegimeView> regimes,
                                               std::string_view what);

}  // namespace infer
