// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer {

// What the system records about a file without reading it. Writing to a file changes
// `changed_ns`, which programs cannot set back; so do renaming it and changing its mode.
struct FileStamp {
  uint64_t bytes = 0;
  uint64_t inode = 0;
  int64_t modified_ns = 0;  // since 1970
  int64_t changed_ns = 0;   // of contents, name or mode
  bool operator==(const FileStamp&) const = default;
};

}  // namespace infer
