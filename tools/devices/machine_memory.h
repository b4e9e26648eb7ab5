// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace infer {

// What the system says about the memory of this machine; unset where it does not say.
struct MachineMemory {
  std::optional<uint64_t> total_bytes;
  std::optional<uint64_t> available_bytes;  // without swapping anything out
  std::optional<uint64_t> limit_bytes;      // of the control group, the smallest on the way up
};

// `root` is put before the paths of /proc and /sys.
MachineMemory ReadMachineMemory(const std::string& root = "");

}  // namespace infer
