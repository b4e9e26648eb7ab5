// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/gguf/byte_cursor.h"
#include "ir/program/weight_source.h"

namespace infer {

struct TensorEntry {
  WeightInfo info;            // with the offset relative to the data section
  uint64_t entry_offset = 0;  // of this entry in the file, for messages
  uint64_t offset_field = 0;  // of its data offset in the file, for messages
};

// Reads `count` entries and checks that names are unique, types are known, dimensions are within
// the limits and rows are whole blocks. The location of the data is not yet checked.
absl::StatusOr<std::vector<TensorEntry>> ReadTensorIndex(ByteCursor& cursor, uint64_t count);

// The space that the tensors of one file must fit in.
struct DataSection {
  std::string_view file;
  uint64_t alignment = 0;
  uint64_t offset = 0;      // in the file, aligned
  uint64_t file_bytes = 0;  // of the whole file
};

// Makes the offsets absolute. Refuses tensors that are not aligned, reach past the end of the file
// or overlap. Gaps and any order are allowed.
absl::Status PlaceTensors(const DataSection& section, std::vector<TensorEntry>& entries);

}  // namespace infer
