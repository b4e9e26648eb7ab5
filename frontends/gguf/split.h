// SPDX-License-Identifier: Apache-2.0
//
// Models in several files: name-00001-of-00003.gguf and so on. The first file holds the metadata,
// and every file its own part of the tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/gguf/metadata.h"

namespace infer {

// A path that ends in -00002-of-00003.gguf.
struct SplitPath {
  std::string prefix;   // everything before "-00002-of-..."
  uint32_t number = 0;  // from 1
  uint32_t count = 0;
};
std::optional<SplitPath> ParseSplitPath(std::string_view path);
// Returns the path of another file of the same set.
std::string SiblingPath(const SplitPath& split, uint32_t number);

// What a file says about the set that it belongs to.
struct SplitKeys {
  uint32_t index = 0;  // from 0
  uint32_t count = 1;
  std::optional<int32_t> tensors;  // in all files together
};
// A file without such keys is a set of one file.
absl::StatusOr<SplitKeys> ReadSplitKeys(const Metadata& metadata);

// Refuses a file whose keys are not those of file `number` of the set that `first` describes.
absl::Status CheckSplitKeys(const Metadata& metadata, const SplitKeys& keys, uint32_t number,
                            const SplitKeys& first);

}  // namespace infer
