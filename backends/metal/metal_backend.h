// SPDX-License-Identifier: Apache-2.0
//
// The device `metal`. This header does not include Metal, so that code that registers back ends
// need not either.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backends/metal/dispatch.h"
#include "runtime/backend.h"

namespace infer::metal {

// Returns where this build put its ahead-of-time compiled shaders; empty if it had no compiler.
std::string BuiltMetallibs();

struct MetalBackendOptions {
  bool emulated = false;  // the device is software that runs the shaders on the CPU
  std::optional<DeviceClass> device_class = {};  // overrides the one derived from the name
  // Folder of compiled shaders. If it is empty or lacks a shader's file, the source embedded in the
  // program is compiled at load.
  std::string metallibs = BuiltMetallibs();
};

// Never returns nullptr: without a usable device, the back end says why.
std::unique_ptr<Backend> MakeMetalBackend(const MetalBackendOptions& options = {});

}  // namespace infer::metal
