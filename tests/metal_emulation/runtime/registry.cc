// SPDX-License-Identifier: Apache-2.0
#include "tests/metal_emulation/runtime/registry.h"

namespace infer::emulation {

std::vector<const ShaderFile*>& ShaderFiles() {
  static std::vector<const ShaderFile*> files;
  return files;
}

}  // namespace infer::emulation
