// SPDX-License-Identifier: Apache-2.0
//
// The text of the shaders with local includes resolved, for Metal's compiler at run time.
#pragma once

#include <span>
#include <string_view>

namespace infer {

struct EmbeddedShader {
  std::string_view library;  // base name of the file: "linear_q8_0"
  std::string_view hash;     // SHA-256 of the source, in hex; part of the name of its .metallib
  std::string_view source;
};
std::span<const EmbeddedShader> EmbeddedShaders();

// Returns nullptr if there is no such library.
const EmbeddedShader* FindShader(std::string_view library);

}  // namespace infer
