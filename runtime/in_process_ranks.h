// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/shared_ranks.h"

namespace infer {

// Returns the ends of a transport between threads of this process, one for each rank: for tests,
// and for measuring what dividing a model costs without a network.
std::vector<std::shared_ptr<SharedRanks>> MakeInProcessRanks(int ranks);

}  // namespace infer
