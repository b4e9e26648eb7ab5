// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/executable.h"
#include "runtime/memory_space.h"
#include "runtime/poison.h"

namespace infer {

// Owns the memory of one call in flight: an arena and the threads' scratch memory in each space,
// and the arguments of all steps with the addresses of that memory. Used by one Executor at a time;
// the Executable and the cache behind `states` must outlive it.
class CallContext {
 public:
  // The steps of one regime. Operands are stored in one vector that never grows, because KernelArgs
  // point into it; a call rewrites only the dimensions listed in `patches`.
  struct RegimeState {
    struct Patch {
      int64_t* dim;
      Symbol symbol;
    };
    // A view of all rows, of which a call computes those of this rank.
    struct OwnRows {
      TensorView* view;
      std::byte* first;  // where row 0 of all rows lies
      int64_t row_bytes;
    };
    std::vector<Operand> operands;
    std::vector<KernelArgs> args;  // indexed by step number
    std::vector<Patch> patches;
    std::vector<OwnRows> own_rows;
    std::unique_ptr<Poisoner> poisoner;  // null unless dead memory gets overwritten
  };

  // `states` are the caches, indexed by state id. `cache` is their part in the cpu's memory, which
  // is made visible to devices that work there.
  static absl::StatusOr<std::unique_ptr<CallContext>> Create(const Executable& executable,
                                                             std::span<const KvView> states,
                                                             std::span<const std::byte> cache = {});

  std::span<RegimeState> regimes() { return regimes_; }
  // Fills in the dimensions of a call.
  void SetSymbols(const RegimeState& regime, const SymbolValues& symbols) const;
  // Whether the results of collectives lie in memory of all ranks.
  bool is_common() const { return is_common_; }
  // The batch that every step of a call reads.
  Batch& batch() { return batch_; }
  // The state that the device's back end keeps for these calls; null if it keeps none.
  DeviceContext* device(Device device) const { return devices_[static_cast<size_t>(device)].get(); }
  // All device contexts that exist.
  std::span<DeviceContext* const> devices() const { return used_devices_; }
  // Total over all spaces.
  uint64_t bytes() const;

 private:
  CallContext() = default;
  struct SpaceArena {
    std::unique_ptr<SpaceMemory> values;
    std::unique_ptr<SpaceMemory> scratch;  // of all threads, consecutively
  };

  absl::Status Allocate(const Executable& executable);
  void AddRegime(const ExecutableRegime& regime, std::span<const KvView> states);
  // Let the steps of `regime`, the last one added, write where all ranks read.
  void JoinParts(const ExecutableRegime& regime);
  void JoinColumns(const ExecutableRegime& regime, const JoinedPart& part);
  void JoinRows(const ExecutableRegime& regime, const JoinedPart& part);
  const SpaceArena& arena(Device space) const { return arenas_[static_cast<size_t>(space)]; }
  absl::Status MakeDevices(const Executable& executable, std::span<const KvView> states,
                           std::span<const std::byte> cache);

  std::array<SpaceArena, kNumDevices> arenas_;  // indexed by space
  bool is_common_ = false;
  int64_t rank_ = 0;
  int64_t ranks_ = 1;
  Batch batch_;
  std::vector<RegimeState> regimes_;
  std::array<std::unique_ptr<DeviceContext>, kNumDevices> devices_;
  std::vector<DeviceContext*> used_devices_;
};

}  // namespace infer
