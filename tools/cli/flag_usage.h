// SPDX-License-Identifier: Apache-2.0
//
// Says in words what a flag is, for the help and the manual page.
#pragma once

#include <string>
#include <string_view>

#include "tools/cli/flags.h"

namespace infer {

// The section of the flags that every tool has, which comes last.
inline constexpr std::string_view kLastSection = "General";

// Returns "-n, --predict N".
std::string FlagSpelling(const Flag& flag);

// Returns the help of a flag with its default, its other names and whether it may be repeated.
std::string FlagMeaning(const Flag& flag);

// Returns "gguf-inspect verify [flags] FILE"; `mode` may be nullptr.
std::string UsageLine(const Flags& tool, const Flags* mode);

}  // namespace infer
