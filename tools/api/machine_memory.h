// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace infer {

// What the system reports about the memory of this machine; unset where it reports nothing.
struct MachineMemory {
  std::optional<uint64_t> total_bytes;
  std::optional<uint64_t> available_bytes;  // without swapping
  std::optional<uint64_t> limit_bytes;      // of the control group: the smallest up to the root
  std::optional<uint64_t> huge_page_bytes;
  std::string huge_pages = {};  // who gets them: "always", "madvise" (on request) or "never"
};

// `root` is prepended to the paths in /proc and /sys.
MachineMemory ReadMachineMemory(const std::string& root = "");

}  // namespace infer
