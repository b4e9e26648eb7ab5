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
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel_registry.h"
#include "runtime/piecewise.h"
#include "runtime/uploaded_weights.h"
#include "runtime/zeroed_memory.h"

namespace infer {

struct PackJob;

struct PackOptions {
  PieceWork work = {};
  std::string cache_path = {};  // file that keeps packed weights; empty means none
  // Receives problems with the cache, which never stop a load; may be empty.
  std::function<void(const std::string& message)> warn = {};
};

// Owns the weights of a model in the layouts that kernels expect, each packed once and shared by
// everything that runs the model. Each weight is packed on its own, so fused and unfused graphs
// share layouts. The mapped pages of a weight are released as soon as it is packed, unless a kernel
// reads the whole weight as the file stores it; single rows (embed) are faulted in again on demand.
// Devices with their own memory get copies there. Thread-safe.
class PackedWeights {
 public:
  // `source` must outlive this object.
  explicit PackedWeights(const WeightSource& source) : source_(source) {}
  PackedWeights(const PackedWeights&) = delete;
  PackedWeights& operator=(const PackedWeights&) = delete;

  // Packs the weights that the Program's kernels need and that are not packed yet. The cache file
  // is used only if nothing was packed before, because it holds all weights of one Program. Returns
  // kCancelled if the work was stopped.
  absl::Status Add(const Program& program, const KernelRegistry& registry,
                   const PackOptions& options);

  const WeightSource& source() const { return source_; }
  // On the cpu, nullptr means that this machine's kernels read the weight as the file stores it; in
  // another space, that the weight was not added.
  const std::byte* Find(const std::string& weight, const std::string& layout,
                        const MemorySpace* space = &CpuSpace()) const;
  // Bytes packed for the cpu.
  uint64_t bytes() const;
  // Number of times that a weight has been packed so far.
  int64_t num_packed() const;
  // Reports that this many single rows were read from the file. From time to time this releases the
  // mapped pages that the reads brought in: the system maps 220 KiB around each row, so the rows of
  // a text would soon keep the whole matrix resident.
  void RowsRead(int64_t rows) const;
  // The cache file that the weights were read from; empty if they were packed.
  std::string read_from() const;

 private:
  struct Part {
    ZeroedMemory memory;
    std::map<std::pair<std::string, std::string>, uint64_t> offsets;  // by weight and layout
  };

  const std::byte* FindLocked(const std::string& weight, const std::string& layout) const;
  absl::Status Fill(std::span<const PackJob> jobs, const std::set<std::string>& keep,
                    const PackOptions& options, std::span<std::byte> memory);
  absl::Status FillWithCache(std::span<const PackJob> jobs, const std::set<std::string>& keep,
                             const PackOptions& options, std::span<std::byte> memory);
  // Number of rows after which pages are released: those pages then hold a 64th of the packed
  // weights. Releasing after each token would cost 20 to 90 us, up to 1 % of the time to decode
  // one.
  int64_t RowsToHold() const;

  const WeightSource& source_;
  mutable std::mutex mutex_;
  std::vector<Part> parts_;  // one for each Add that packed something
  UploadedWeights uploaded_;
  std::string read_from_;
  int64_t num_packed_ = 0;
  std::set<const WeightInfo*> read_by_row_;
  mutable std::atomic<int64_t> rows_read_ = 0;  // since their pages were released
  std::atomic<int64_t> rows_to_hold_ = std::numeric_limits<int64_t>::max();
};

// Returns the bytes of weights that a run keeps resident on this machine, by layout. The mapped
// bytes of a packed weight count only if a kernel reads the whole weight as the file stores it.
std::map<std::string, uint64_t> WeightBytesByLayout(const Program& program,
                                                    const KernelRegistry& registry);

}  // namespace infer
