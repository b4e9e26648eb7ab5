// SPDX-License-Identifier: Apache-2.0
//
// Reading a mapped file that another process truncates raises SIGBUS. This turns the signal into a
// flag: the page that cannot be read becomes zeros, the reader continues, and a later check reveals
// that the data read is not that of the file.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"

namespace infer {

// Watches one mapping during its lifetime. The first instance installs the process-wide handler;
// faults outside all watched mappings go to the previous handler.
class SigbusGuard {
 public:
  // Returns kResourceExhausted if too many mappings are already watched.
  static absl::StatusOr<SigbusGuard> Watch(const void* begin, size_t bytes);

  SigbusGuard() = default;
  SigbusGuard(SigbusGuard&& other) noexcept;
  SigbusGuard& operator=(SigbusGuard&& other) noexcept;
  ~SigbusGuard() { Release(); }

  // Returns whether a page of the mapping could not be read. Never reset.
  bool damaged() const;
  // Must be called before the mapping is removed.
  void Release();

 private:
  int slot_ = -1;
};

}  // namespace infer
