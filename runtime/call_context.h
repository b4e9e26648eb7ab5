// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/executable.h"
#include "runtime/poison.h"
#include "runtime/zeroed_memory.h"

namespace infer {

// The memory of one call in flight: the arena, the threads' scratch memory, and the arguments of
// all steps with that memory's addresses. Used by one Executor at a time; the Executable and the
// cache behind `states` must outlive it.
class CallContext {
 public:
  // The steps of one regime. Operands lie in one vector that never grows, because KernelArgs point
  // into it; a call rewrites only the dimensions listed in `patches`.
  struct RegimeState {
    struct Patch {
      int64_t* dim;
      Symbol symbol;
    };
    std::vector<Operand> operands;
    std::vector<KernelArgs> args;  // by number of the step
    std::vector<Patch> patches;
    std::unique_ptr<Poisoner> poisoner;  // null unless dead memory is overwritten
  };

  // `states` are the caches, by state id, and `cache` all their memory, which devices other than
  // the cpu are shown.
  static absl::StatusOr<std::unique_ptr<CallContext>> Create(const Executable& executable,
                                                             std::span<const KvView> states,
                                                             std::span<const std::byte> cache = {});

  std::span<RegimeState> regimes() { return regimes_; }
  // The batch that every step of a call reads.
  Batch& batch() { return batch_; }
  // What the back end of a device keeps for this memory; null if it keeps nothing.
  DeviceMemory* device_memory(Device device) const {
    const size_t index = static_cast<size_t>(device);
    return index < device_memory_.size() ? device_memory_[index].get() : nullptr;
  }
  uint64_t bytes() const { return arena_.bytes() + scratch_.bytes(); }

 private:
  CallContext() = default;
  void AddRegime(const ExecutableRegime& regime, std::span<const KvView> states);
  absl::Status MapMemory(const Executable& executable, std::span<const KvView> states,
                         std::span<const std::byte> cache);

  ZeroedMemory arena_;
  ZeroedMemory scratch_;  // of all threads, one after the other
  Batch batch_;
  std::vector<RegimeState> regimes_;
  std::vector<std::unique_ptr<DeviceMemory>> device_memory_;  // by device
};

}  // namespace infer
