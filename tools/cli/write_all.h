// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/status.h"

namespace infer {

// Writes every byte to `fd`, handling short writes, EINTR and a full non-blocking pipe. `name` is
// the destination in error messages. Failures end in exit code 1 (kAborted).
absl::Status WriteAll(int fd, std::string_view bytes, std::string_view name);

// Returns `<name>: <doing> failed: <reason of errno_value>`, kAborted; EPIPE has the exit code
// kExitClosedPipe.
absl::Status IoError(std::string_view name, std::string_view doing, int errno_value);

}  // namespace infer
