// SPDX-License-Identifier: Apache-2.0
//
// Formats a profile for people and for programs.
#pragma once

#include <string>

#include "runtime/profile.h"

namespace infer {

inline constexpr int64_t kDefaultProfileLines = 20;

// Returns, for each group of calls, a line of sums, the `lines` nodes that took longest (0 means
// all; equal nodes of several layers are one line) and a summary by op; for each regime a line of
// sums. Without a final newline.
std::string ProfileText(const Profile& profile, int64_t lines = kDefaultProfileLines);

// Returns one line: every node of every group, and the same sums.
std::string ProfileJson(const Profile& profile);

}  // namespace infer
