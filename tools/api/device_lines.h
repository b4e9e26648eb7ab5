// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// Returns "metal", or "metal (CPU emulation, not a GPU)".
std::string DeviceName(std::string_view device, bool emulated);
std::string DeviceName(const Backend& backend);

// Returns whether the Program has steps on an emulated device.
bool RunsEmulated(const Program& program, const KernelRegistry& registry);

// Returns one line for each device other than the CPU that the Program has steps on: "metal:
// device=... max_buffer=...".
std::vector<std::string> DeviceLines(const Program& program, const KernelRegistry& registry);

// Refuses to measure under emulation: returns kUnavailable if the Program has steps on an emulated
// device.
absl::Status CheckMeasurable(const Program& program, const KernelRegistry& registry);

}  // namespace infer
