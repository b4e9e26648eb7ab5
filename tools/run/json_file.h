// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "ir/base/json.h"

namespace infer {

// Reads a JSON file of at most `max_bytes` that is not nested deeply. An error names the file and
// the place in it.
absl::StatusOr<Json> ReadJsonFile(const std::string& path, uint64_t max_bytes,
                                  const std::atomic<bool>* stop = nullptr);

}  // namespace infer
