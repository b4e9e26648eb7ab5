// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/tool.h"

namespace infer {

// The binary `infer`: runs the tool that the base name of `argv0` names (a link beside the binary),
// or the one that the first argument names. Alone it lists the tools. Returns the exit code.
int InferMain(std::string_view argv0, const std::vector<std::string>& args,
              std::span<const Tool* const> tools, const ToolIo& io);

}  // namespace infer
