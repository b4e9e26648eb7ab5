// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/parallel_for.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel_registry.h"
#include "runtime/uploaded_weights.h"
#include "runtime/zeroed_memory.h"

namespace infer {

struct PackJob;

struct PackOptions {
  ParallelFor parallel = SerialFor;
  std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress = {};  // may be empty
  std::string cache_path = {};  // where packed weights are kept; empty: nowhere
  // Told what went wrong with the cache, which never stops a load; may be empty.
  std::function<void(const std::string& message)> warn = {};
};

// The weights of a model in the layouts that kernels want, each made once and shared by everybody
// who runs the model. Each weight is packed by itself, so that fused and unfused graphs share
// layouts. The mapped pages of a weight are given back as soon as it is packed, unless a kernel
// reads the whole of it as the file stores it; single rows (embed) are faulted in again when they
// are asked for. Devices with a memory of their own get copies there. Safe to use from several
// threads.
class PackedWeights {
 public:
  // `source` must outlive it.
  explicit PackedWeights(const WeightSource& source) : source_(source) {}
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // Packs what the Program's kernels want and nobody has packed yet. The cache's file is used if
  // nothing was packed before: it holds all weights of one Program.
  absl::Status Add(const Program& program, const KernelRegistry& registry,
                   const PackOptions& options);

  const WeightSource& source() const { return source_; }
  // On the cpu, nullptr: this machine's kernels read the weight as the file stores it. On another
  // space: it was not added.
  const std::byte* Find(const std::string& weight, const std::string& layout,
                        Device space = Device::kCpu) const;
  // What was packed for the cpu.
  uint64_t bytes() const;
  // How often a weight has been packed so far.
  int64_t num_packed() const;
  // Tells that so many single rows were read from the file. From time to time it gives back the
  // mapped pages that this has brought in: the system maps 220 KiB around each row, so the rows of
  // a text would hold the whole matrix.
  void RowsRead(int64_t rows) const;
  // Whether the cache's file held them, so that nothing was packed.
  bool from_cache() const;

 private:
  struct Part {
    ZeroedMemory memory;
    std::map<std::pair<std::string, std::string>, uint64_t> offsets;  // by weight and layout
  };

  const std::byte* FindLocked(const std::string& weight, const std::string& layout) const;
  absl::Status Fill(std::span<const PackJob> jobs, const std::set<std::string>& keep,
                    const PackOptions& options, std::span<std::byte> memory);
  // Rows after which pages are given back: what they hold is then a 64th of the packed weights.
  // After each token it would cost 20 to 90 us, up to a hundredth of the time of decoding one.
  int64_t RowsToHold() const;

  const WeightSource& source_;
  mutable std::mutex mutex_;
  std::vector<Part> parts_;  // one for each Add that packed something
  UploadedWeights uploaded_;
  bool from_cache_ = false;
  int64_t num_packed_ = 0;
  std::set<const WeightInfo*> read_by_row_;
  mutable std::atomic<int64_t> rows_read_ = 0;  // since their pages were given back
  std::atomic<int64_t> rows_to_hold_ = std::numeric_limits<int64_t>::max();
};

// Bytes of weights that a run has resident on this machine, by layout. Of a weight that is packed,
// the mapped bytes count only if a kernel reads the whole of it as the file stores it.
std::map<std::string, uint64_t> WeightBytesByLayout(const Program& program,
                                                    const KernelRegistry& registry);

}  // namespace infer
