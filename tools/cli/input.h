// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace infer {

// All bytes of a text file, or of stdin for "-". kNotFound or kInvalidArgument (exit code 3) if it
// cannot be read or holds more than `limit_bytes`; kCancelled if a signal came while waiting.
absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t limit_bytes);

}  // namespace infer
