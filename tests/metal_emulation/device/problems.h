// SPDX-License-Identifier: Apache-2.0
//
// What is wrong with a command.
#pragma once

#include <string>

#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {

// The command buffer will end in the error state with this text. The first one counts.
void AddProblem(MTL::CommandBuffer* command_buffer, const std::string& text);

// Of a dispatch, as far as it can be seen while encoding: pipeline, size of groups, bindings,
// threadgroup memory. Empty if nothing is.
std::string DispatchProblem(const Command& command);

// Of a dispatch that is about to run: buffers that are gone or not resident.
std::string ResidencyProblem(const Command& command, const MTL::CommandBuffer& command_buffer);

}  // namespace infer::emulation
