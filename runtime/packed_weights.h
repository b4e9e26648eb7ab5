// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/base/parallel_for.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel_registry.h"
#include "runtime/zeroed_memory.h"

namespace infer {

struct PackOptions {
  ParallelFor parallel = SerialFor;
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress = {};  // may be empty
  std::string cache_path = {};  // where packed weights are kept; empty: nowhere
  // Told what went wrong with the cache, which never stops a load; may be empty.
  std::function<void(const std::string& message)> warn = {};
};

// The weights of a Program in the layouts that its kernels want, made once at load. Each weight is
// packed by itself, so that fused and unfused graphs share layouts. The mapped pages of a weight
// are given back as soon as it is packed, unless a kernel reads the whole of it as the file stores
// it; single rows (embed) are faulted in again when they are asked for.
class PackedWeights {
 public:
  static absl::StatusOr<PackedWeights> Create(const Program& program, const WeightSource& source,
                                              const KernelRegistry& registry,
                                              const PackOptions& options);

  // nullptr: this machine's kernels read the weight as the file stores it.
  const std::byte* Find(const std::string& weight, const std::string& layout) const;
  uint64_t bytes() const { return memory_.bytes(); }
  // Gives back the mapped pages that reading single rows of packed weights has brought in since:
  // the system maps 220 KiB around each row, so the rows of a text would hold the whole matrix.
  void ReleaseRows(const WeightSource& source) const;
  // Rows after which that is due: what they hold is then a 64th of the packed weights. After each
  // token it would cost 20 to 90 us, up to a hundredth of the time of decoding one.
  int64_t rows_to_hold() const;
  // Whether the cache's file held them, so that nothing was packed.
  bool from_cache() const { return from_cache_; }

 private:
  ZeroedMemory memory_;
  bool from_cache_ = false;
  std::vector<const WeightInfo*> read_by_row_;
  std::map<std::pair<std::string, std::string>, uint64_t> offsets_;  // by weight and layout
};

// Bytes of `weight` in `layout` on this machine; nullopt if it is read from the file.
std::optional<uint64_t> PackedBytes(const Weight& weight, const std::string& layout,
                                    const KernelRegistry& registry);

// Bytes of weights that a run has resident on this machine, by layout. Of a weight that is packed,
// the mapped bytes count only if a kernel reads the whole of it as the file stores it.
std::map<std::string, uint64_t> WeightBytesByLayout(const Program& program,
                                                    const KernelRegistry& registry);

}  // namespace infer
