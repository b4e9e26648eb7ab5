// SPDX-License-Identifier: Apache-2.0
//
// A Program made ready to run: kernels resolved, every address known.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "ir/program/weight_source.h"
#include "runtime/backend.h"
#include "runtime/kernel_registry.h"
#include "runtime/packed_weights.h"
#include "runtime/poison.h"
#include "runtime/zeroed_memory.h"

namespace infer {

// One regime. Operands of all steps lie in one vector that never grows after Create, because
// KernelArgs point into it; a call rewrites only the dimensions listed in `patches`.
struct ExecutableRegime {
  struct Patch {
    int64_t* dim;
    Symbol symbol;
  };
  // Row numbers in graph input `input` must be below `rows`.
  struct IndexCheck {
    int input;
    int64_t rows;
  };

  const Regime* regime = nullptr;
  std::vector<Operand> operands;
  std::vector<KernelArgs> args;
  std::vector<std::unique_ptr<CompiledSegment>> segments;
  std::vector<Patch> patches;
  std::vector<IndexCheck> index_checks;
  std::vector<const Operand*> inputs;   // tensor inputs of the graph; null for the batch
  std::vector<const Operand*> results;  // of the graph
  std::unique_ptr<Poisoner> poisoner;   // null unless dead memory is overwritten
};

// Owns the Program, the arena that all regimes share, and the resolved regimes. `weights`,
// `registry` and the cache behind `states` must outlive it.
class Executable {
 public:
  // `states` are the caches, by state id, and `cache` all their memory, which devices other than
  // the cpu are shown. Errors: kUnimplemented if a kernel that the Program names is missing here or
  // wants more workspace than was planned; kUnavailable if one does not work on this machine (see
  // KernelRegistry::Failures).
  static absl::StatusOr<std::unique_ptr<Executable>> Create(Program program,
                                                            const WeightSource& weights,
                                                            const KernelRegistry& registry,
                                                            std::span<const KvView> states,
                                                            const PackOptions& pack = {},
                                                            std::span<const std::byte> cache = {});

  const Program& program() const { return program_; }
  const WeightSource& weights() const { return weights_; }
  const PackedWeights& packed_weights() const { return packed_; }
  uint64_t arena_bytes() const { return arena_.bytes(); }
  std::span<ExecutableRegime> regimes() { return regimes_; }
  // The batch that every step of a call reads.
  Batch& batch() { return batch_; }
  // Whether a value or a workspace grows with the cache, so that memory was planned for a certain
  // context.
  bool depends_on_context() const { return depends_on_context_; }

 private:
  Executable(Program program, const WeightSource& weights)
      : program_(std::move(program)), weights_(weights) {}
  absl::Status AllocateArena(int threads);
  absl::Status MapMemory(const KernelRegistry& registry, std::span<const KvView> states,
                         std::span<const std::byte> cache);

  Program program_;
  const WeightSource& weights_;
  ZeroedMemory arena_;
  ZeroedMemory scratch_;  // of all threads, one after the other
  PackedWeights packed_;
  Batch batch_;
  bool depends_on_context_ = false;
  std::map<Device, std::unique_ptr<DeviceMemory>> device_memory_;
  std::vector<ExecutableRegime> regimes_;
};

}  // namespace infer
