// SPDX-License-Identifier: Apache-2.0
//
// Identifies the model file that a Program was compiled from, so that loading it with another one
// is detected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace infer {

struct ModelRef {
  struct File {
    std::string name;  // base name only: a Program never holds a path
    uint64_t bytes = 0;
    bool operator==(const File&) const = default;
  };
  std::vector<File> files;  // one for each split file, in order
  std::string header_hash;  // xxh3-128 of header, metadata and tensor index, 32 hex digits
  bool operator==(const ModelRef&) const = default;
};

}  // namespace infer
