// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "runtime/program_devices.h"

namespace infer {
namespace {

// Turns the values of one planned graph into operands.
class OperandTable {
 public:
  OperandTable(const Graph& graph, std::byte* arena, const WeightSource& weights,
               const PackedWeights& packed, std::span<const KvView> states)
      : arena_(arena), weights_(weights), packed_(packed), states_(states) {
    int32_t position = 0;
    for (const Node* node : graph.nodes()) positions_[node] = position++;
    for (const Slot& slot : graph.plan()->slots) offsets_[slot.value] = slot.offset;
  }

  int32_t position(const Node* node) const { return positions_.at(node); }

  // `layout` is what the kernel that reads a weight wants.
  absl::StatusOr<Operand> Make(Value value, std::string_view layout = kGgufLayout) const {
    const ValueType& type = value.type();
    Operand operand;
    if (type.kind == TypeKind::kBatch) return operand;
    if (type.kind == TypeKind::kKv) {
      operand.kv = states_[StateId(value)];
      return operand;
    }
    operand.tensor.dtype = type.tensor.dtype;
    operand.tensor.rank = type.rank();
    for (int axis = 0; axis < type.rank(); ++axis) {
      if (!type.dim(axis).is_symbol()) operand.tensor.dims[axis] = type.dim(axis).value();
    }
    if (value.node->op().traits.weight) {
      const WeightInfo* weight = weights_.Find(value.node->attr<std::string>(0));
      RETURN_IF_ERROR(CheckWeight(*value.node, weight));
      const std::byte* data = packed_.Find(weight->name, std::string(layout));
      if (data == nullptr) data = weights_.Data(*weight).data();
      // Kernels read weights through const accessors only.
      operand.tensor.data = const_cast<std::byte*>(data);
    } else {
      operand.tensor.data = arena_ + offsets_.at({position(value.node), value.index});
    }
    return operand;
  }

 private:
  // Kernels trust shapes: a weight of another one must not get as far as them, whatever the caller
  // compared before.
  absl::Status CheckWeight(const Node& node, const WeightInfo* found) const {
    const std::string& name = node.attr<std::string>(0);
    if (found == nullptr) {
      return absl::InvalidArgumentError(StrCat("weight ", name, " is not in the model file"));
    }
    ValueType type{TypeKind::kTensor, TypeOf(*found)};
    if (type == node.result().type && weights_.Data(*found).size() == found->bytes &&
        BytesAt(type.tensor, {}) == found->bytes) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(StrCat("weight ", name, " is ", ToString(type),
                                             " in the model file, the program wants ",
                                             ToString(node.result().type)));
  }

  // A cache value is the state itself however often it was written.
  static int64_t StateId(Value value) {
    while (!value.node->op().traits.state) {
      value = value.node->input(value.node->op().traits.aliases_input);
    }
    return value.node->attr<int64_t>(0);
  }

  std::byte* arena_;
  const WeightSource& weights_;
  const PackedWeights& packed_;
  std::span<const KvView> states_;
  std::unordered_map<const Node*, int32_t> positions_;
  std::map<ValueRef, uint64_t> offsets_;
};

absl::Status Unimplemented(const Node& node, std::string_view what) {
  return absl::UnimplementedError(
      StrCat("node ", DescribeNode(node), ": kernel ", node.placement()->kernel, " ", what,
             "; compile the graph again with infer-compile on this machine"));
}

// Whether the kernel that the Program names is here, runs this node and has its workspace. A stored
// Program may come from another build.
absl::Status CheckKernel(const Node& node, const Step& step, const KernelRegistry& registry,
                         const SymbolRanges& symbols, uint64_t planned_scratch) {
  const Placement& placement = *node.placement();
  if (placement.kernel == kViewKernel) {
    if (node.op().traits.view) return absl::OkStatus();
    return Unimplemented(node, "computes nothing, but the op is no view");
  }
  const KernelInfo* info = registry.kernel(placement.kernel);
  if (info == nullptr) return Unimplemented(node, "is not in this build");
  if (info->op != &node.op() || info->target != placement.target) {
    return Unimplemented(node, StrCat("runs ", info->op->name, " on ", Name(info->target),
                                      ", wanted on ", Name(placement.target)));
  }
  if (std::string why = registry.WhyNot(*info); !why.empty()) {
    return absl::UnavailableError(StrCat("node ", DescribeNode(node), ": ", why));
  }
  if (Decision takes = Takes(*info, node, symbols); !takes.accepted()) {
    return Unimplemented(node, StrCat("refuses it: ", takes.reason()));
  }
  uint64_t workspace = info->workspace_bytes ? info->workspace_bytes(node, symbols) : 0;
  uint64_t scratch = info->scratch_bytes ? info->scratch_bytes(node, symbols) : 0;
  if (workspace <= step.workspace_bytes && scratch <= planned_scratch) return absl::OkStatus();
  return Unimplemented(
      node, StrCat("wants ", workspace, " bytes of workspace and ", scratch, " for each thread; ",
                   step.workspace_bytes, " and ", planned_scratch, " were planned"));
}

// Whether a value or a kernel's workspace is larger for a longer context.
bool DependsOnContext(const Graph& graph, const KernelRegistry& registry) {
  SymbolRanges longer = graph.symbols();
  longer[Symbol::kS].max += 1024;  // enough to show in any rounding of a workspace
  for (const Node* node : graph.nodes()) {
    for (int i = 0; i < node->num_results(); ++i) {
      if (node->result(i).type.tensor.shape.Uses(Symbol::kS)) return true;
    }
    if (!node->placement()) continue;
    const KernelInfo* info = registry.kernel(node->placement()->kernel);
    if (info == nullptr || info->op != &node->op()) continue;
    for (auto bytes : {info->workspace_bytes, info->scratch_bytes}) {
      if (bytes != nullptr && bytes(*node, longer) != bytes(*node, graph.symbols())) return true;
    }
  }
  return false;
}

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
