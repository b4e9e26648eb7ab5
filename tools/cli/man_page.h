// SPDX-License-Identifier: Apache-2.0
//
// Writes manual pages in the macros of man(7), from the same table of flags as the help.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "tools/cli/flags.h"

namespace infer {

// Returns the page of a tool: all its modes, flags, notes and examples.
std::string ManPage(const Flags& flags);

// Returns the page of the binary `infer`: the tools that it is.
struct ListedTool {
  std::string_view name;
  std::string_view subcommand;
  std::string_view summary;
};
std::string UmbrellaManPage(std::span<const ListedTool> tools);

}  // namespace infer
