// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// Checks what a file is from its first bytes: 512 of them, or all if there are fewer.
using HeadCheck = std::function<absl::Status(std::string_view head)>;

// Returns all bytes of a file, or of stdin for "-". Returns kNotFound or kInvalidArgument (exit
// code 3) if it cannot be read or holds more than `limit_bytes`. If a signal arrives while it
// waits, it returns kCancelled if `stop` is set and true, else it goes on waiting. `check` runs
// before the size is checked: a file of the wrong kind is usually too large as well, but that is
// not what is wrong with it.
absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t limit_bytes,
                                      const HeadCheck& check = {},
                                      const std::atomic<bool>* stop = nullptr);

}  // namespace infer
