// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace infer {

// Shell-like pattern: * any run of characters, ? any one.
bool GlobMatch(std::string_view pattern, std::string_view text);

}  // namespace infer
