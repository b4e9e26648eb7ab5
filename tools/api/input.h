// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// Judges a file by its first bytes: 512 of them, or all if there are fewer.
using HeadCheck = std::function<absl::Status(std::string_view head)>;

// All bytes of a file, or of stdin for "-". kNotFound or kInvalidArgument (exit code 3) if it
// cannot be read or holds more than `limit_bytes`; kCancelled if a signal came while waiting.
// `check` is asked before the size is looked at: a file of another kind is mostly too large as
// well, and that is not what is wrong with it.
absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t limit_bytes,
                                      const HeadCheck& check = {});

}  // namespace infer
