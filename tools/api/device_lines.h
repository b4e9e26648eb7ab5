// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// "metal", or "metal (CPU emulation, not a GPU)".
std::string DeviceName(std::string_view device, bool emulated);
std::string DeviceName(const Backend& backend);

// Whether the Program has steps on a device that is only emulated.
bool RunsEmulated(const Program& program, const KernelRegistry& registry);

// Of each device beside the cpu that the Program has steps on: "metal: device=... max_buffer=...".
std::vector<std::string> DeviceLines(const Program& program, const KernelRegistry& registry);

// What nobody should measure on: kUnavailable if the Program has steps on an emulated device.
absl::Status CheckMeasurable(const Program& program, const KernelRegistry& registry);

}  // namespace infer
