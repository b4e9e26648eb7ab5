// SPDX-License-Identifier: Apache-2.0
//
// A shader file as C++ that clang compiles for the CPU. It is a rewriting of words, not of meaning:
// types and expressions pass as they are, and lines keep their numbers.
#pragma once

#include <string>
#include <vector>

#include "tests/metal_emulation/generator/kernels.h"
#include "tests/metal_emulation/generator/source.h"

namespace infer::emulation {

struct Translation {
  std::string code;
  ShaderTables tables;
  std::vector<Diagnostic> errors;
};

Translation Translate(const Source& source);

}  // namespace infer::emulation
