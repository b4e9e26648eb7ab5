// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "runtime/profile.h"
#include "tools/report/program_view.h"

namespace infer {

// Writes a profile with its timings in the order of the nodes of `regimes`, which must be of the
// profiled Program.
nlohmann::ordered_json TimingJson(const Profile& profile, const std::vector<RegimeView>& regimes);

}  // namespace infer
