// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "backends/metal/dispatch.h"

namespace infer::metal {

// The rows of device_classes.def in their order.
std::span<const DeviceClass> DeviceClasses();

// The class of a device that Metal calls `device_name`, "Apple M2 Max" for example.
const DeviceClass& FindDeviceClass(std::string_view device_name);

}  // namespace infer::metal
