// SPDX-License-Identifier: Apache-2.0
//
// A Program made ready to run: kernels bound to their nodes, weights at their addresses. What a
// call needs besides is in a CallContext.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/program/program.h"
#include "runtime/backend.h"
#include "runtime/kernel_registry.h"
#include "runtime/operand_place.h"
#include "runtime/packed_weights.h"

namespace infer {

// One regime: which operands its steps have and where they will lie in the memory of a call.
struct ExecutableRegime {
  // The arguments of a step. Its inputs are operands [first_operand, first_operand + num_inputs),
  // its results follow them.
  struct StepArgs {
    const Node* node = nullptr;  // null for a copy
    Device device = Device::kCpu;
    Device space = Device::kCpu;
    size_t first_operand = 0;
    size_t num_inputs = 0;
    size_t num_outputs = 0;
    uint64_t workspace_offset = 0;
    const void* bound = nullptr;  // constants of the kernel, which its segment owns
  };
  struct Patch {
    size_t operand;
    int axis;
    Symbol symbol;
  };
  // Row numbers in graph input `input` must be below `rows`.
  struct IndexCheck {
    int input;
    int64_t rows;
  };
  struct BoundSegment {
    Device device = Device::kCpu;
    std::unique_ptr<const CompiledSegment> segment;
    std::vector<Device> waits;  // for the queues of these devices, before it
  };

  const Regime* regime = nullptr;
  std::vector<OperandPlace> operands;
  std::vector<StepArgs> steps;  // by number of the step in the plan
  std::vector<BoundSegment> segments;
  std::vector<Device> waits;   // before the call is over
  std::vector<Patch> patches;  // dimensions that a call fills in
  std::vector<IndexCheck> index_checks;
  std::vector<int> inputs;   // operands of the graph's inputs; -1 for the batch
  std::vector<int> results;  // operands of the graph's results
};

// Immutable once made, so that any number of CallContexts may run it at the same time. Everything
// it is given must outlive it.
class Executable {
 public:
  // Weights are packed as far as `weights` does not hold them yet. Errors: kUnimplemented if a
  // kernel that the Program names is missing here or wants more workspace than was planned;
  // kUnavailable if one does not work on this machine (see KernelRegistry::Failures).
  static absl::StatusOr<std::unique_ptr<const Executable>> Create(
      std::shared_ptr<const Program> program, PackedWeights& weights,
      const KernelRegistry& registry, const PackOptions& pack = {});

  // The same with packed weights of its own, for who runs one Program of a model.
  static absl::StatusOr<std::shared_ptr<const Executable>> CreateAlone(
      Program program, const WeightSource& source, const KernelRegistry& registry,
      const PackOptions& pack = {});

  const Program& program() const { return *program_; }
  const PackedWeights& weights() const { return weights_; }
  const KernelRegistry& registry() const { return registry_; }
  std::span<const ExecutableRegime> regimes() const { return regimes_; }
  // Whether a value or a workspace grows with the cache, so that memory was planned for a certain
  // context.
  bool depends_on_context() const { return depends_on_context_; }
  // What a call needs in a space: for values, and for the kernels of each of its threads.
  struct ArenaBytes {
    uint64_t values = 0;
    uint64_t scratch_of_thread = 0;
  };
  const ArenaBytes& arena_bytes(Device space) const {
    return arena_bytes_[static_cast<size_t>(space)];
  }

 private:
  Executable(std::shared_ptr<const Program> program, const PackedWeights& weights,
             const KernelRegistry& registry);

  std::shared_ptr<const Program> program_;
  const PackedWeights& weights_;
  const KernelRegistry& registry_;
  bool depends_on_context_ = false;
  std::array<ArenaBytes, kNumDevices> arena_bytes_;  // by space
  std::vector<ExecutableRegime> regimes_;
};

}  // namespace infer
