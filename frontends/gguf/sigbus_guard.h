// SPDX-License-Identifier: Apache-2.0
//
// Reading a mapped file that another process cuts short raises SIGBUS. This turns the signal into
// a flag: the page that cannot be read becomes zeros, the reader goes on, and whoever asks
// afterwards learns that what was read is not the file.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"

namespace infer {

// Watches one mapping while it lives. The first one installs the process-wide handler; faults
// outside of all watched mappings go to the handler that was there before.
class SigbusGuard {
 public:
  // kResourceExhausted when too many mappings are watched already.
  static absl::StatusOr<SigbusGuard> Watch(const void* begin, size_t bytes);

  SigbusGuard() = default;
  SigbusGuard(SigbusGuard&& other) noexcept;
  SigbusGuard& operator=(SigbusGuard&& other) noexcept;
  ~SigbusGuard() { Release(); }

  // Whether a page of the mapping could not be read. Never goes back.
  bool damaged() const;
  // Must come before the mapping is taken down.
  void Release();

 private:
  int slot_ = -1;
};

}  // namespace infer
