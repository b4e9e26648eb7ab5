// SPDX-License-Identifier: Apache-2.0
//
// The device `metal`. This header knows no Metal, so that whoever registers back ends need not.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/metal/dispatch.h"
#include "runtime/backend.h"

namespace infer::metal {

// Where this build put the shaders that it compiled ahead of time; empty if it had no compiler.
std::string BuiltMetallibs();

struct MetalBackendOptions {
  bool emulated = false;  // the device is software that runs the shaders on the CPU
  std::optional<DeviceClass> device_class = {};  // instead of the one that the device's name gives
  // Folder of compiled shaders. Empty, or one in which a shader's file is missing: the source,
  // which is in the program, is compiled at load.
  std::string metallibs = BuiltMetallibs();
};

// Never nullptr: without a device, or with one that cannot run the kernels, the back end says why.
std::unique_ptr<Backend> MakeMetalBackend(const MetalBackendOptions& options = {});

}  // namespace infer::metal
