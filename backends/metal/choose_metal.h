// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "runtime/backend.h"

namespace infer::metal {

// The software device that runs shaders on the CPU joins in only if asked to by this variable of
// the environment, set to 1: it is there for tests and slower than any other target.
inline constexpr char kEmulationVariable[] = "INFER_METAL_EMULATION";

struct MetalChoice {
  std::unique_ptr<Backend> backend;
  std::string why_not;  // why there is none and what to do about it
};

MetalChoice ChooseMetal();

}  // namespace infer::metal
