// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "frontends/gguf/reader.h"
#include "ir/program/program.h"
#include "runtime/kernel_registry.h"

namespace infer {

// The peak resident memory of a run of a Program, known before any weight is read.
struct MemoryEstimate {
  std::map<std::string, uint64_t> weights;  // by layout, packed as this machine packs them
  uint64_t kv = 0;                          // at full context
  uint64_t arena = 0;                       // arena of the plan, at the longest chunk
  uint64_t scratch = 0;                     // kernel scratch, on all threads
  int threads = 1;
  uint64_t tokenizer = 0;
  uint64_t other = 0;  // the binary, its libraries, the graph and system overhead

  uint64_t total() const;
};

// Estimates a run on this many threads, or on those of the registry. A Program is valid for any
// number of threads; the memory they need comes on top of its plan. Without the model's file
// (nullptr) the tokenizer is missing.
absl::StatusOr<MemoryEstimate> EstimateMemory(const Program& program, const GgufFile* file,
                                              const KernelRegistry& registry,
                                              std::optional<int> threads = std::nullopt);

// One aligned line for each part.
std::string ToText(const MemoryEstimate& estimate);

}  // namespace infer
