// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/backend.h"

namespace infer::metal {

// The software device, which runs shaders on the CPU, is used only if this environment variable is
// set to 1: it exists for tests and is slower than any other target.
inline constexpr char kEmulationVariable[] = "INFER_METAL_EMULATION";

struct MetalChoice {
  std::unique_ptr<Backend> backend;
  std::string why_not;  // why there is no back end and what to do about it
};

MetalChoice ChooseMetal();

}  // namespace infer::metal
