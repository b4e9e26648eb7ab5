// SPDX-License-Identifier: Apache-2.0
//
// What of a Program's weights is packed, and in which order. Only for runtime/packed_weights.cc and
// runtime/uploaded_weights.cc.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/plan.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel_registry.h"

namespace infer {

struct PackJob {
  const Weight* weight;
  const WeightLayout* layout;
  uint64_t offset = 0;
  uint64_t bytes = 0;

  int64_t rows() const { return weight->type.dim(0).value(); }
  int64_t columns() const { return weight->type.dim(1).value(); }
  uint64_t end_offset() const {
    return offset + (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  }
  int64_t panels() const { return (rows() + layout->panel_rows - 1) / layout->panel_rows; }
};

// A kernel reads a weight.
struct WeightRead {
  std::string weight;
  std::string layout;
  Device space = Device::kCpu;
  bool whole = true;  // an op that takes row numbers of its first input reads single rows of it
};
std::vector<WeightRead> WeightReadsOf(const Program& program, const KernelRegistry& registry);

// Whether the source has the weight that the Program was compiled for.
absl::Status CheckSource(const Weight& weight, const WeightSource& source);

// Bytes of `weight` in `layout` on this machine; nullopt if it is read from the file.
std::optional<uint64_t> PackedBytes(const Weight& weight, const std::string& layout,
                                    const KernelRegistry& registry);

// The layouts in which kernels that work in the cpu's memory want each weight.
std::map<std::string, std::set<std::string>> CpuLayoutsOf(const Program& program,
                                                          const KernelRegistry& registry);

// Weights that a kernel reads whole, in the cpu's memory, as the file stores them.
std::set<std::string> ReadWholeFromFile(const Program& program, const KernelRegistry& registry);

// The largest first: while a weight is packed it is in memory twice, which then adds nothing to the
// peak, because most of the packed memory has not been touched yet. The others follow in the order
// in which a call reads them: a kernel fetches weights ahead of its own end, which are then those
// that the next one begins with. Memory is laid out in the order of packing: touching it here and
// there would bring in large pages before their time.
std::vector<PackJob> PackJobsOf(const Program& program, const KernelRegistry& registry);

// In the order of the cache's file: Programs of one model that want the same layouts share it,
// whatever the order in which they read.
std::vector<PackJob> ByName(std::vector<PackJob> jobs);

}  // namespace infer
