// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Returns OK if the bytes begin like a little-endian GGUF file of version 2 or 3. Otherwise returns
// an error that says what the file is instead (a Git-LFS pointer, an HTML page, a zip archive, a
// safetensors file, ...) and how to get the right one.
absl::Status CheckFileKind(std::string_view file, std::span<const std::byte> bytes);

}  // namespace infer
