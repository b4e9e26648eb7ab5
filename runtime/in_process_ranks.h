// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "runtime/collective.h"

namespace infer {

// Returns the ends of a transport between threads of this process, one for each rank: for tests,
// and for measuring what dividing a model costs without a network.
std::vector<std::shared_ptr<Collective>> MakeInProcessRanks(int ranks);

}  // namespace infer
