// SPDX-License-Identifier: Apache-2.0
//
// What a Program remembers of the model file it was compiled from, and how it finds out that it was
// given another one.
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
