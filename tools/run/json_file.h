// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "absl/status/statusor.h"

namespace infer {

// Reads a JSON file of at most `max_bytes` that is not nested deeply. An error names the file and
// the place in it.
absl::StatusOr<nlohmann::ordered_json> ReadJsonFile(const std::string& path, uint64_t max_bytes,
                                                    const std::atomic<bool>* stop = nullptr);

}  // namespace infer
