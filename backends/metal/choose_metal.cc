// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/choose_metal.h"

#include <cstdlib>
#include <string_view>

#include "ir/base/strings.h"
#if defined(INFER_HAS_METAL) || defined(INFER_HAS_METAL_EMULATION)
#include "backends/metal/metal_backend.h"
#endif

namespace infer::metal {

MetalChoice ChooseMetal() {
#if defined(INFER_HAS_METAL)
  return {MakeMetalBackend(), {}};
#elif defined(INFER_HAS_METAL_EMULATION)
  const char* asked = std::getenv(kEmulationVariable);
  if (asked != nullptr && std::string_view(asked) == "1") {
    return {MakeMetalBackend({.emulated = true}), {}};
  }
  return {nullptr, StrCat("Metal needs macOS on Apple silicon; this build can emulate it on the ",
                          "CPU, slowly: set ", kEmulationVariable, "=1 for that")};
#elif defined(__APPLE__)
  return {nullptr,
          "this build has no Metal; configure it with -DMETAL_CPP_DIR=DIR, the folder of Apple's "
          "metal-cpp (developer.apple.com/metal/cpp)"};
#else
  return {nullptr,
          "Metal needs macOS on Apple silicon, and this build has no emulation of it "
          "(-DINFER_METAL_EMULATION=ON, for tests)"};
#endif
}

}  // namespace infer::metal
