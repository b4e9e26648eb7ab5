// SPDX-License-Identifier: Apache-2.0
//
// What C++ takes and the Metal Shading Language does not, as far as words show it.
#pragma once

#include <string_view>
#include <vector>

#include "tests/metal_emulation/generator/source.h"

namespace infer::emulation {

// `level` is "3.0", "3.1" or "3.2".
std::vector<Diagnostic> Lint(const Source& source, std::string_view level);

}  // namespace infer::emulation
