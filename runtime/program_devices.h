// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// The devices of the Program that are not the cpu, with all nodes that compute something there.
std::map<Device, std::vector<RegimeNode>> NodesByDevice(const Program& program);

// Everything that can be said before memory is taken: whether the devices are here, work in the
// memory that the Program was planned for and have its kernels.
absl::Status LoadDevices(const Program& program, const KernelRegistry& registry);

// What the Program keeps in `space`: weights, the largest arena, and its part of so many bytes of
// cache.
uint64_t DeviceBytes(const Program& program, Device space, uint64_t cache_bytes);

// Whether the weights, the arena and so many bytes of cache fit on the Program's devices.
absl::Status CheckDeviceMemory(const Program& program, const KernelRegistry& registry,
                               uint64_t cache_bytes);

}  // namespace infer
