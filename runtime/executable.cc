// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "runtime/check_kernel.h"
#include "runtime/program_devices.h"
#include "runtime/sharded_weights.h"

namespace infer {
namespace {

// Scratch memory that each thread has for kernels that work in `space`.
uint64_t ScratchBytes(const Graph& graph, Device space) {
  for (const Arena& arena : graph.plan()->arenas) {
    if (arena.space == space) return arena.bytes_per_thread;
  }
  return 0;
}

// Fills one ExecutableRegime.
class RegimeBinder {
 public:
  RegimeBinder(const Graph& graph, const KernelRegistry& registry, const PackedWeights& weights,
               ExecutableRegime* out)
      : graph_(graph),
        nodes_(graph.nodes()),
        registry_(registry),
        places_(graph, weights, registry),
        out_(out) {}

  absl::Status Bind() {
    for (const Segment& segment : graph_.plan()->segments) RETURN_IF_ERROR(AddSegment(segment));
    out_->waits = graph_.plan()->waits;
    out_->joined = FindJoinedParts(graph_, registry_);
    RETURN_IF_ERROR(AddInputs());
    for (Value result : graph_.results()) {
      ASSIGN_OR_RETURN(const int operand, AddOperand(result, Device::kCpu));
      out_->results.push_back(operand);
    }
    return absl::OkStatus();
  }

 private:
  uint64_t Placed(uint64_t offset, Device space) const {
    return space == Device::kCpu ? out_->cpu_begin + offset : offset;
  }

  // Adds an operand and records which of its dimensions a call must fill in.
  absl::StatusOr<int> AddOperand(Value value, Device space, std::string_view layout = kGgufLayout) {
    const size_t index = out_->operands.size();
    ASSIGN_OR_RETURN(OperandPlace place, places_.Of(value, space, layout));
    place.offset = Placed(place.offset, space);
    out_->operands.push_back(place);
    if (value.type().is_tensor()) {
      for (int axis = 0; axis < value.type().rank(); ++axis) {
        const Dim dim = value.type().dim(axis);
        if (dim.is_symbol()) out_->patches.push_back({index, axis, dim.symbol()});
      }
    }
    return static_cast<int>(index);
  }

  absl::Status AddSegment(const Segment& segment) {
    const Backend* backend = registry_.backend(segment.device);
    std::vector<PreparedStep> steps;
    bool sends = false, only_copies = true;
    for (const Step& step : segment.steps) {
      PreparedStep& prepared = steps.emplace_back();
      prepared.number = static_cast<int32_t>(out_->steps.size());
      if (step.copy) {
        prepared.copied_to = step.copy->to;
        RETURN_IF_ERROR(AddCopyArgs(*step.copy, segment));
        continue;
      }
      only_copies = false;
      Node& node = *nodes_[step.node];
      prepared.node = &node;
      sends = sends || node.op().traits.collective;
      prepared.symbols = graph_.symbols();
      prepared.mode = step.mode;
      prepared.barrier_after = step.barrier_after;
      if (node.placement()->kernel != kViewKernel) {
        ASSIGN_OR_RETURN(prepared.bound, backend->Bind(node, node.placement()->kernel));
      }
      RETURN_IF_ERROR(AddArgs(node, segment, step, prepared.bound.constants.get()));
    }
    ASSIGN_OR_RETURN(auto compiled,
                     backend->Prepare(std::move(steps), ScratchBytes(graph_, segment.space())));
    out_->segments.push_back(
        {segment.device, std::move(compiled), segment.waits, sends, only_copies});
    return absl::OkStatus();
  }

  absl::Status AddCopyArgs(const CopyStep& copy, const Segment& segment) {
    const size_t first = out_->operands.size();
    const Value value = nodes_[copy.value.node]->output(copy.value.result);
    RETURN_IF_ERROR(AddOperand(value, copy.from).status());
    RETURN_IF_ERROR(AddOperand(value, copy.to).status());
    out_->steps.push_back({.device = segment.device,
                           .space = segment.space(),
                           .first_operand = first,
                           .num_inputs = 1,
                           .num_outputs = 1});
    return absl::OkStatus();
  }

  absl::Status AddArgs(Node& node, const Segment& segment, const Step& step, const void* bound) {
    const size_t first = out_->operands.size();
    const KernelInfo* info = registry_.kernel(node.placement()->kernel);  // nullptr for views
    for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
      const std::string_view layout = info ? WeightLayoutOf(*info, node, i) : kGgufLayout;
      RETURN_IF_ERROR(AddOperand(node.input(i), segment.space(), layout).status());
    }
    for (int i = 0; i < node.num_results(); ++i) {
      RETURN_IF_ERROR(AddOperand(node.output(i), segment.space()).status());
    }
    out_->steps.push_back({.node = &node,
                           .device = segment.device,
                           .space = segment.space(),
                           .first_operand = first,
                           .num_inputs = node.inputs().size(),
                           .num_outputs = static_cast<size_t>(node.num_results()),
                           .workspace_offset = Placed(step.workspace_offset, segment.space()),
                           .bound = bound});
    return absl::OkStatus();
  }

  absl::Status AddInputs() {
    std::unordered_map<const Node*, int> numbers;
    for (Node* input : graph_.inputs()) {
      numbers[input] = static_cast<int>(out_->inputs.size());
      int operand = -1;
      if (input->result().type.is_tensor()) {
        ASSIGN_OR_RETURN(operand, AddOperand(input->output(), Device::kCpu));
      }
      out_->inputs.push_back(operand);
    }
    for (const Node* node : nodes_) {
      const int index_input = node->op().traits.index_input;
      if (index_input < 0) continue;
      // The verifier has ensured that row indices come directly from an input.
      out_->index_checks.push_back({numbers.at(node->input(index_input).node),
                                    node->input(0).type().dim(0).At(graph_.symbols().Lowest())});
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  std::vector<Node*> nodes_;
  const KernelRegistry& registry_;
  OperandPlaces places_;
  ExecutableRegime* out_;
};

}  // namespace

Executable::Executable(std::shared_ptr<const Program> program, const PackedWeights& weights,
                       const KernelRegistry& registry)
    : program_(std::move(program)), weights_(weights), registry_(registry), cpu_layout_(*program_) {
  for (const Regime& regime : program_->regimes) {
    depends_on_context_ |= DependsOnContext(regime.graph, registry);
    for (const Arena& arena : regime.graph.plan()->arenas) {
      ArenaBytes& most = arena_bytes_[static_cast<size_t>(arena.space)];
      most.values = std::max(most.values, arena.bytes);
      most.scratch_of_thread = std::max(most.scratch_of_thread, arena.bytes_per_thread);
    }
  }
  arena_bytes_[static_cast<size_t>(Device::kCpu)].values = cpu_layout_.common + cpu_layout_.own;
  regimes_.resize(program_->regimes.size());
}

absl::StatusOr<std::unique_ptr<const Executable>> Executable::Create(
    std::shared_ptr<const Program> program, PackedWeights& weights, const KernelRegistry& registry,
    const PackOptions& pack) {
  RETURN_IF_ERROR(CheckRanks(*program, registry.collective()));
  RETURN_IF_ERROR(LoadDevices(*program, registry));
  RETURN_IF_ERROR(CheckKernels(*program, registry));
  RETURN_IF_ERROR(weights.Add(*program, registry, pack));
  auto executable =
      std::unique_ptr<Executable>(new Executable(std::move(program), weights, registry));
  for (size_t i = 0; i < executable->regimes_.size(); ++i) {
    const Regime& regime = executable->program().regimes[i];
    executable->regimes_[i].regime = &regime;
    executable->regimes_[i].cpu_begin = executable->cpu_layout_.BeginOf(regime.graph);
    RETURN_IF_ERROR(RegimeBinder(regime.graph, registry, weights, &executable->regimes_[i]).Bind());
  }
  return executable;
}

absl::StatusOr<std::shared_ptr<const Executable>> Executable::CreateAlone(
    Program program, const WeightSource& source, const KernelRegistry& registry,
    const PackOptions& pack) {
  struct Owned {
    Owned(std::unique_ptr<ShardedWeights> parts, const WeightSource& source)
        : shard(std::move(parts)), weights(shard == nullptr ? source : *shard) {}
    std::unique_ptr<ShardedWeights> shard;  // null unless the Program is divided
    PackedWeights weights;
    std::unique_ptr<const Executable> executable;
  };
  RETURN_IF_ERROR(CheckRanks(program, registry.collective()));
  std::unique_ptr<ShardedWeights> shard;
  if (Collective* transport = registry.collective(); transport != nullptr) {
    ASSIGN_OR_RETURN(shard, ShardedWeights::Create(source, program, transport->rank()));
  }
  auto owned = std::make_shared<Owned>(std::move(shard), source);
  ASSIGN_OR_RETURN(owned->executable, Create(std::make_shared<const Program>(std::move(program)),
                                             owned->weights, registry, pack));
  return std::shared_ptr<const Executable>(owned, owned->executable.get());
}

}  // namespace infer
