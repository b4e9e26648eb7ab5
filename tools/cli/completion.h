// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/flags.h"

namespace infer {

// Returns a script to source in `shell` (bash, zsh or fish) that completes flags, words of choices,
// modes and, everywhere else, file names.
std::string CompletionScript(const Flags& flags, std::string_view shell);

// As above, for the binary `infer`: completes the subcommands and passes the rest to the tool's own
// script, which must have been sourced too. Takes pairs of subcommand and tool name.
struct SubcommandName {
  std::string subcommand;
  std::string tool;
};
std::string UmbrellaCompletionScript(const std::vector<SubcommandName>& tools,
                                     std::string_view shell);

}  // namespace infer
