// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/gguf/metadata.h"
#include "ir/program/weight_source.h"

namespace infer {

// Everything in one GGUF file except the tensors' bytes.
struct GgufHeader {
  uint32_t version = 0;
  uint64_t alignment = 0;
  uint64_t header_bytes = 0;  // header, metadata and tensor index, without the padding after them
  Metadata metadata;
  std::vector<WeightInfo> tensors;  // in the order of the file, file index 0
};

// Reads and checks everything. The metadata's views point into `bytes`, which is the whole file;
// `file` is its name in messages.
absl::StatusOr<GgufHeader> ParseGgufHeader(std::string_view file, std::span<const std::byte> bytes);

}  // namespace infer
