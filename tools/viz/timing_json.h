// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ir/base/json.h"
#include "runtime/profile.h"
#include "tools/report/program_view.h"

namespace infer {

// Writes a profile with its timings in the order of the nodes of `regimes`, which must be of the
// profiled Program.
Json TimingJson(const Profile& profile, const std::vector<RegimeView>& regimes);

}  // namespace infer
