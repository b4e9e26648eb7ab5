// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace infer {

// Matches a shell-like pattern: * is any run of characters, ? any single one.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace infer
