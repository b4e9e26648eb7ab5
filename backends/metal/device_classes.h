// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "backends/metal/dispatch.h"

namespace infer::metal {

// Returns the rows of device_classes.def in order.
std::span<const DeviceClass> DeviceClasses();

// Returns the class of a device by the name that Metal reports, for example "Apple M2 Max".
const DeviceClass& FindDeviceClass(std::string_view device_name);

}  // namespace infer::metal
