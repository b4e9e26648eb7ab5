// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"
#include "ir/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// What a run of a Program will have resident at most, known before any weight is read.
struct MemoryEstimate {
  std::map<std::string, uint64_t> weights;  // by layout, packed as this machine packs them
  uint64_t kv = 0;                          // at full context
  uint64_t arena = 0;                       // at the longest chunk, with the kernels' scratch
  uint64_t tokenizer = 0;
  uint64_t other = 0;  // the binary, its libraries, the graph and what the system adds

  uint64_t total() const;
};

absl::StatusOr<MemoryEstimate> EstimateMemory(const Program& program, const GgufFile& file,
                                              const KernelRegistry& registry);

// One aligned line for each part.
std::string ToText(const MemoryEstimate& estimate);

}  // namespace infer
