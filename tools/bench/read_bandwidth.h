// SPDX-License-Identifier: Apache-2.0
//
// How fast this machine reads memory, as products read their weights.
#pragma once

#include <atomic>
#include <cstdint>

#include "absl/status/statusor.h"
#include "runtime/zeroed_memory.h"

namespace infer {

class ReadBandwidth {
 public:
  // Takes as much memory as no cache holds: 8 times the last-level cache, at least 256 MiB, at most
  // a quarter of what is free. Returns kResourceExhausted if that cannot be had.
  static absl::StatusOr<ReadBandwidth> Create();

  // Returns GB/s of so many threads that each read a part: the best of several passes of every way
  // to prefetch, because which one is fastest depends on the CPU and on the threads. Returns
  // kCancelled if `stop` was set.
  absl::StatusOr<double> Measure(int threads, const std::atomic<bool>* stop) const;

  uint64_t bytes() const { return bytes_; }

 private:
  ReadBandwidth(ZeroedMemory memory, uint64_t bytes) : memory_(std::move(memory)), bytes_(bytes) {}

  ZeroedMemory memory_;
  uint64_t bytes_;
};

}  // namespace infer
