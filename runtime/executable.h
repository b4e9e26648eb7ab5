// SPDX-License-Identifier: Apache-2.0
//
// A Program made ready to run: kernels bound to their nodes, weights at their addresses. The memory
// of a call is in a CallContext.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "runtime/backend.h"
#include "runtime/cpu_layout.h"
#include "runtime/joined_parts.h"
#include "runtime/kernel_registry.h"
#include "runtime/operand_place.h"
#include "runtime/packed_weights.h"

namespace infer {

// One regime: the operands of its steps and where they will be in the memory of a call.
struct ExecutableRegime {
  // The arguments of a step. Its inputs are operands [first_operand, first_operand + num_inputs);
  // its results follow them.
  struct StepArgs {
    const Node* node = nullptr;  // null for a copy
    Device device = Device::kCpu;
    Device space = Device::kCpu;
    size_t first_operand = 0;
    size_t num_inputs = 0;
    size_t num_outputs = 0;
    uint64_t workspace_offset = 0;
    const void* bound = nullptr;  // the kernel's constants, owned by its segment
  };
  struct Patch {
    size_t operand;
    int axis;
    Symbol symbol;
  };
  // Row indices in graph input `input` must be below `rows`.
  struct IndexCheck {
    int input;
    int64_t rows;
  };
  struct BoundSegment {
    Device device = Device::kCpu;
    std::unique_ptr<const CompiledSegment> segment;
    std::vector<Device> waits;  // queues to wait for before the segment runs
    bool sends = false;         // values to other ranks
    bool only_copies = false;
  };

  const Regime* regime = nullptr;
  uint64_t cpu_begin = 0;  // where its arena begins in the cpu's memory of a call
  std::vector<OperandPlace> operands;
  std::vector<StepArgs> steps;  // indexed by step number in the plan
  std::vector<BoundSegment> segments;
  std::vector<Device> waits;       // queues to wait for before the call returns
  std::vector<Patch> patches;      // dimensions that a call fills in
  std::vector<JoinedPart> joined;  // parts that ranks can write where all of them are read
  std::vector<IndexCheck> index_checks;
  std::vector<int> inputs;   // operands of the graph's inputs; -1 for the batch
  std::vector<int> results;  // operands of the graph's results
};

// Immutable once created, so any number of CallContexts may run it at the same time. Everything
// passed to it must outlive it.
class Executable {
 public:
  // Packs the weights that `weights` does not hold yet. Returns kUnimplemented if a kernel that the
  // Program names is missing here or needs more workspace than was planned, and kUnavailable if one
  // does not work on this machine (see KernelRegistry::Failures).
  static absl::StatusOr<std::unique_ptr<const Executable>> Create(
      std::shared_ptr<const Program> program, PackedWeights& weights,
      const KernelRegistry& registry, const PackOptions& pack = {});

  // The same with its own packed weights, for callers that run a single Program of a model.
  static absl::StatusOr<std::shared_ptr<const Executable>> CreateAlone(
      Program program, const WeightSource& source, const KernelRegistry& registry,
      const PackOptions& pack = {});

  const Program& program() const { return *program_; }
  const PackedWeights& weights() const { return weights_; }
  const KernelRegistry& registry() const { return registry_; }
  std::span<const ExecutableRegime> regimes() const { return regimes_; }
  // Whether any value or workspace grows with the cache, so that memory was planned for a
  // particular context length.
  bool depends_on_context() const { return depends_on_context_; }
  // Memory that a call needs in a space: for values, and for the kernels on each of its threads.
  struct ArenaBytes {
    uint64_t values = 0;
    uint64_t scratch_of_thread = 0;
  };
  const ArenaBytes& arena_bytes(Device space) const {
    return arena_bytes_[static_cast<size_t>(space)];
  }
  const CpuLayout& cpu_layout() const { return cpu_layout_; }

 private:
  Executable(std::shared_ptr<const Program> program, const PackedWeights& weights,
             const KernelRegistry& registry);

  std::shared_ptr<const Program> program_;
  const PackedWeights& weights_;
  const KernelRegistry& registry_;
  CpuLayout cpu_layout_;
  bool depends_on_context_ = false;
  std::array<ArenaBytes, kNumDevices> arena_bytes_;  // indexed by space
  std::vector<ExecutableRegime> regimes_;
};

}  // namespace infer
