// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <vector>

#include "absl/status/status.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// Returns the Program's devices other than the cpu, with all nodes that compute something there.
std::map<Device, std::vector<RegimeNode>> NodesByDevice(const Program& program);

// Checks everything that can be checked before memory is allocated: that the devices are present,
// that they work in the memory that the Program was planned for and that they have its kernels.
absl::Status LoadDevices(const Program& program, const KernelRegistry& registry);

// Returns the part of `cache_bytes`, the whole cache, that lies in `space`.
uint64_t CacheBytesIn(const Program& program, Device space, uint64_t cache_bytes);

// Returns the bytes that the Program keeps in `space`: weights, the largest arena, and the space's
// part of `cache_bytes`.
uint64_t DeviceBytes(const Program& program, Device space, uint64_t cache_bytes);

// Checks that the weights, the arena and `cache_bytes` of cache fit on the Program's devices.
absl::Status CheckDeviceMemory(const Program& program, const KernelRegistry& registry,
                               uint64_t cache_bytes);

}  // namespace infer
