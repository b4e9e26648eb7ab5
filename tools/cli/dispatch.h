// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/tool.h"

namespace infer {

// Entry point of the binary `infer`: runs the tool named by the base name of `argv0` (a link beside
// the binary), or by the first argument. Without arguments it lists the tools. Returns the exit
// code.
int InferMain(std::string_view argv0, const std::vector<std::string>& args,
              std::span<const Tool* const> tools, const ToolIo& io);

}  // namespace infer
