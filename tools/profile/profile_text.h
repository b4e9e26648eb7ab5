// SPDX-License-Identifier: Apache-2.0
//
// A profile for people and for programs.
#pragma once

#include <string>

#include "runtime/profile.h"

namespace infer {

inline constexpr int64_t kDefaultProfileLines = 20;

// For each group of calls a line of sums, the `lines` nodes that took longest (0: all), layers with
// the same nodes as one, and a summary by op; for each regime a line of sums. Without a last
// newline.
std::string ProfileText(const Profile& profile, int64_t lines = kDefaultProfileLines);

// One line: every node of every group by itself, beside the same sums.
std::string ProfileJson(const Profile& profile);

}  // namespace infer
