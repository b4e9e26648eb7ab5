// SPDX-License-Identifier: Apache-2.0
//
// The part of a generated file behind the shader: its tables.
#pragma once

#include <string>

#include "tests/metal_emulation/generator/source.h"
#include "tests/metal_emulation/generator/translate.h"

namespace infer::emulation {

// The whole generated file.
std::string GenerateFile(const Source& source, const Translation& translation);

}  // namespace infer::emulation
