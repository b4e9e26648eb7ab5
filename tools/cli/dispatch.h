// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/tool.h"

namespace infer {

// Returns what `infer` prints without arguments, in lines of at most `columns` where words allow
// it.
std::string ToolListText(std::span<const Tool* const> tools, size_t columns);

// Entry point of the binary `infer`: runs the tool named by the base name of `argv0` (a link beside
// the binary), or by the first argument. Without arguments it lists the tools. Returns the exit
// code.
int InferMain(std::string_view argv0, const std::vector<std::string>& args,
              std::span<const Tool* const> tools, const ToolIo& io);

}  // namespace infer
