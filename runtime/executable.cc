// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "runtime/check_kernel.h"
#include "runtime/operand_table.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

// What each thread has for the kernels of a planned graph.
uint64_t ScratchBytes(const Graph& graph) {
  uint64_t bytes = 0;
  for (const Arena& arena : graph.plan()->arenas) {
    if (arena.space == Device::kCpu) bytes = std::max(bytes, arena.bytes_per_thread);
  }
  return bytes;
}

size_t CountOperands(const Graph& graph) {
  size_t count = graph.num_nodes() + graph.results().size();
  for (const Node* node : graph.nodes()) count += node->inputs().size() + node->num_results();
  return count;
}

// Adds an operand and notes which of its dimensions a call must fill in.
absl::StatusOr<const Operand*> AddOperand(const OperandTable& table, Value value,
                                          ExecutableRegime* out,
                                          std::string_view layout = kGgufLayout) {
  ASSIGN_OR_RETURN(Operand operand, table.Make(value, layout));
  Operand& added = out->operands.emplace_back(operand);
  if (value.type().is_tensor()) {
    for (int axis = 0; axis < value.type().rank(); ++axis) {
      Dim dim = value.type().dim(axis);
      if (dim.is_symbol()) out->patches.push_back({&added.tensor.dims[axis], dim.symbol()});
    }
  }
  return &added;
}

// Fills one ExecutableRegime.
class RegimeResolver {
 public:
  RegimeResolver(const Graph& graph, const KernelRegistry& registry, const OperandTable& table,
                 std::byte* arena, std::byte* scratch, const Batch* batch,
                 const std::map<Device, std::unique_ptr<DeviceMemory>>& device_memory,
                 ExecutableRegime* out)
      : graph_(graph),
        nodes_(graph.nodes()),
        registry_(registry),
        table_(table),
        arena_(arena),
        scratch_(scratch),
        scratch_bytes_(ScratchBytes(graph)),
        batch_(batch),
        device_memory_(device_memory),
        out_(out) {
    out_->operands.reserve(CountOperands(graph));
    out_->args.reserve(nodes_.size());
  }

  absl::Status Resolve() {
    for (const Segment& segment : graph_.plan()->segments) RETURN_IF_ERROR(AddSegment(segment));
    RETURN_IF_ERROR(AddInputs());
    for (Value result : graph_.results()) {
      ASSIGN_OR_RETURN(const Operand* operand, AddOperand(table_, result, out_));
      out_->results.push_back(operand);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status AddSegment(const Segment& segment) {
    const Backend* backend = registry_.backend(segment.device);
    std::vector<PreparedStep> steps;
    for (const Step& step : segment.steps) {
      if (step.node < 0) return absl::UnimplementedError("copies between devices are not built in");
      Node& node = *nodes_[step.node];
      RETURN_IF_ERROR(CheckKernel(node, step, registry_, graph_.symbols(), scratch_bytes_));
      RETURN_IF_ERROR(AddArgs(node, arena_ + step.workspace_offset));
      bool view = node.placement()->kernel == kViewKernel;
      steps.push_back({.node = &node,
                       .kernel = view ? std::string() : node.placement()->kernel,
                       .args = &out_->args.back(),
                       .mode = step.mode,
                       .barrier_after = step.barrier_after,
                       .number = num_steps_++});
    }
    auto memory = device_memory_.find(segment.device);
    ASSIGN_OR_RETURN(auto compiled, backend->Prepare(std::move(steps),
                                                     {scratch_bytes_, memory == device_memory_.end()
                                                                          ? nullptr
                                                                          : memory->second.get()}));
    out_->segments.push_back(std::move(compiled));
    return absl::OkStatus();
  }

  absl::Status AddArgs(Node& node, std::byte* workspace) {
    size_t first = out_->operands.size();
    const KernelInfo* info = registry_.kernel(node.placement()->kernel);  // nullptr for views
    for (int i = 0; i < static_cast<int>(node.inputs().size()); ++i) {
      std::string_view layout = info ? WeightLayoutOf(*info, node, i) : kGgufLayout;
      RETURN_IF_ERROR(AddOperand(table_, node.input(i), out_, layout).status());
    }
    for (int i = 0; i < node.num_results(); ++i) {
      RETURN_IF_ERROR(AddOperand(table_, node.output(i), out_).status());
    }
    const Operand* begin = out_->operands.data() + first;
    size_t num_inputs = node.inputs().size();
    out_->args.push_back({.inputs = {begin, num_inputs},
                          .outputs = {begin + num_inputs, static_cast<size_t>(node.num_results())},
                          .attrs = node.attrs(),
                          .batch = batch_,
                          .workspace = workspace,
                          .scratch = scratch_});
    return absl::OkStatus();
  }

  absl::Status AddInputs() {
    std::unordered_map<const Node*, int> numbers;
    for (Node* input : graph_.inputs()) {
      numbers[input] = static_cast<int>(out_->inputs.size());
      const Operand* operand = nullptr;
      if (input->result().type.is_tensor()) {
        ASSIGN_OR_RETURN(operand, AddOperand(table_, input->output(), out_));
      }
      out_->inputs.push_back(operand);
    }
    for (const Node* node : nodes_) {
      int index_input = node->op().traits.index_input;
      if (index_input < 0) continue;
      // The verifier has seen to it that row numbers come straight from an input.
      out_->index_checks.push_back({numbers.at(node->input(index_input).node),
                                    node->input(0).type().dim(0).At(graph_.symbols().Lowest())});
    }
    return absl::OkStatus();
  }

  const Graph& graph_;
  std::vector<Node*> nodes_;
  const KernelRegistry& registry_;
  const OperandTable& table_;
  std::byte* arena_;
  std::byte* scratch_;
  uint64_t scratch_bytes_;
  const Batch* batch_;
  const std::map<Device, std::unique_ptr<DeviceMemory>>& device_memory_;
  ExecutableRegime* out_;
  int32_t num_steps_ = 0;
};

// Bytes of K, or of V, of one layer: the V of a cache follows its K.
uint64_t LargestPart(std::span<const KvView> states) {
  uint64_t largest = 0;
  for (const KvView& state : states) {
    if (state.v > state.k) largest = std::max<uint64_t>(largest, state.v - state.k);
  }
  return largest;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> Executable::Create(
    Program program, const WeightSource& weights, const KernelRegistry& registry,
    std::span<const KvView> states, const PackOptions& pack, std::span<const std::byte> cache) {
  if (states.size() != program.states.size()) {
    return absl::InternalError(
        StrCat("the program has ", program.states.size(), " states, given ", states.size()));
  }
  RETURN_IF_ERROR(LoadDevices(program, registry));
  RETURN_IF_ERROR(CheckKernels(program, registry));
  auto executable = std::unique_ptr<Executable>(new Executable(std::move(program), weights));
  const Backend* cpu = registry.backend(Device::kCpu);
  RETURN_IF_ERROR(executable->AllocateArena(cpu == nullptr ? 1 : cpu->threads()));
  ASSIGN_OR_RETURN(executable->packed_,
                   PackedWeights::Create(executable->program_, weights, registry, pack));
  RETURN_IF_ERROR(executable->MapMemory(registry, states, cache));
  for (const Regime& regime : executable->program_.regimes) {
    executable->depends_on_context_ |= DependsOnContext(regime.graph, registry);
  }
  executable->regimes_.resize(executable->program_.regimes.size());
  for (size_t i = 0; i < executable->regimes_.size(); ++i) {
    const Regime& regime = executable->program_.regimes[i];
    OperandTable table(regime.graph, executable->arena_.data(), weights, executable->packed_,
                       states);
    executable->regimes_[i].regime = &regime;
    RETURN_IF_ERROR(RegimeResolver(regime.graph, registry, table, executable->arena_.data(),
                                   executable->scratch_.data(), &executable->batch_,
                                   executable->device_memory_, &executable->regimes_[i])
                        .Resolve());
    executable->regimes_[i].poisoner =
        Poisoner::CreateIfDebugging(regime.graph, executable->arena_.data());
  }
  return executable;
}

absl::Status Executable::AllocateArena(int threads) {
  uint64_t bytes = 0;
  uint64_t scratch_bytes = 0;
  for (const Regime& regime : program_.regimes) {
    scratch_bytes = std::max(scratch_bytes, ScratchBytes(regime.graph));
    for (const Arena& arena : regime.graph.plan()->arenas) {
      if (arena.space == Device::kCpu) bytes = std::max(bytes, arena.bytes);
    }
  }
  ASSIGN_OR_RETURN(arena_, ZeroedMemory::Create(bytes));
  ASSIGN_OR_RETURN(scratch_, ZeroedMemory::Create(scratch_bytes * threads));
  return absl::OkStatus();
}

absl::Status Executable::MapMemory(const KernelRegistry& registry, std::span<const KvView> states,
                                   std::span<const std::byte> cache) {
  const auto nodes_by_device = NodesByDevice(program_);
  if (nodes_by_device.empty()) return absl::OkStatus();
  uint64_t largest_weight = 0;
  for (const WeightInfo& weight : weights_.weights()) {
    largest_weight = std::max(largest_weight, weight.bytes);
  }
  std::vector<MemorySpan> spans = {{MemorySpan::Use::kActivations, {arena_.data(), arena_.bytes()}},
                                   {MemorySpan::Use::kCache, cache, LargestPart(states)}};
  for (std::span<const std::byte> mapping : weights_.Mappings()) {
    spans.push_back({MemorySpan::Use::kWeights, mapping, largest_weight});
  }
  for (const auto& [device, nodes] : nodes_by_device) {
    ASSIGN_OR_RETURN(device_memory_[device], registry.backend(device)->Map(spans));
  }
  return absl::OkStatus();
}

}  // namespace infer
