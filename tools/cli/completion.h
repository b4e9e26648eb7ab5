// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/flags.h"

namespace infer {

// A script to source in `shell` (bash, zsh or fish) that completes flags, words of choices, modes
// and, everywhere else, file names.
std::string CompletionScript(const Flags& flags, std::string_view shell);

// The same for the binary `infer`: completes the subcommands and hands the rest to the tool's own
// script, which must have been sourced too. Pairs of subcommand and tool name.
struct SubcommandName {
  std::string subcommand;
  std::string tool;
};
std::string UmbrellaCompletionScript(const std::vector<SubcommandName>& tools,
                                     std::string_view shell);

}  // namespace infer
