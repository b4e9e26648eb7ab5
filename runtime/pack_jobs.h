// SPDX-License-Identifier: Apache-2.0
//
// Determines which of a Program's weights are packed, and in which order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph/plan_terms.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/kernel_registry.h"

namespace infer {

struct PackJob {
  const Weight* weight;
  const WeightLayout* layout;
  uint64_t offset = 0;
  uint64_t bytes = 0;

  // A weight of rank 3 is several matrices.
  int64_t matrices() const { return weight->type.rank() == 3 ? weight->type.dim(0).value() : 1; }
  int64_t rows() const { return weight->type.dim(-2).value(); }  // of a matrix
  int64_t columns() const { return weight->type.dim(-1).value(); }
  uint64_t end_offset() const {
    return offset + (bytes + kSlotAlignment - 1) / kSlotAlignment * kSlotAlignment;
  }
  int64_t panels() const {  // of a matrix
    return (rows() + layout->panel_rows - 1) / layout->panel_rows;
  }
  uint64_t matrix_offset(int64_t matrix) const {
    return bytes / static_cast<uint64_t>(matrices()) * static_cast<uint64_t>(matrix);
  }
};

// One read of a weight by a kernel.
struct WeightRead {
  std::string weight;
  std::string layout;
  Device space = Device::kCpu;
  bool whole = true;  // false for ops that take row indices into their first input
};
std::vector<WeightRead> WeightReadsOf(const Program& program, const KernelRegistry& registry);

// Checks that the source has the weight that the Program was compiled for.
absl::Status CheckSource(const Weight& weight, const WeightSource& source);

// Returns the bytes of `weight` in `layout` on this machine; nullopt if it is read from the file.
std::optional<uint64_t> PackedBytes(const Weight& weight, const std::string& layout,
                                    const KernelRegistry& registry);

// Returns the layouts in which kernels that work in the cpu's memory expect each weight.
std::map<std::string, std::set<std::string>> CpuLayoutsOf(const Program& program,
                                                          const KernelRegistry& registry);

// Returns the weights that a kernel reads whole, in the cpu's memory, as the file stores them.
std::set<std::string> ReadWholeFromFile(const Program& program, const KernelRegistry& registry);

// Returns the jobs in packing order, which is also their order in memory. The largest weight comes
// first: where the system does not release the pages of a weight before all of it is packed, it is
// in memory twice, and at that point this does not raise the peak because most of the packed memory
// has not been touched yet. The others follow in the order in which a call reads them: a kernel
// prefetches past the end of its weight, which is then the start of the next one. Touching memory
// out of order would bring in large pages too early.
std::vector<PackJob> PackJobsOf(const Program& program, const KernelRegistry& registry);

// Sorts the jobs into the order of the cache's file. Programs of one model that use the same
// layouts share the file, regardless of the order in which they read the weights.
std::vector<PackJob> ByName(std::vector<PackJob> jobs);

}  // namespace infer
