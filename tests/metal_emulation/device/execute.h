// SPDX-License-Identifier: Apache-2.0
//
// Runs the commands of a command buffer.
#pragma once

#include <string>

#include "tests/metal_emulation/device/state.h"

namespace infer::emulation {

// What went wrong, or empty. Commands behind the first that fails do not run.
std::string Execute(const MTL::CommandBuffer& command_buffer);

// Everything that ran on the queue is done and seen by the host: it is in conflict with nothing.
void HostWaited(const MTL::CommandQueue& queue);

void ForgetQueue(const MTL::CommandQueue& queue);

}  // namespace infer::emulation
