// SPDX-License-Identifier: Apache-2.0
#include "runtime/executable.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/ops/ops.h"
#include "ir/status_macros.h"
#include "ir/strings.h"
#include "ir/verifier.h"

namespace infer {
namespace {

// Turns the values of one planned graph into operands.
class OperandTable {
 public:
  OperandTable(const Graph& graph, std::byte* arena, const WeightSource& weights,
               std::span<const KvView> states)
      : arena_(arena), weights_(weights), states_(states) {
    int32_t position = 0;
    for (const Node* node : graph.nodes()) positions_[node] = position++;
    for (const Slot& slot : graph.plan()->slots) offsets_[slot.value] = slot.offset;
  }

  int32_t position(const Node* node) const { return positions_.at(node); }

  absl::StatusOr<Operand> Make(Value value) const {
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
      if (weight == nullptr) {
        return absl::InvalidArgumentError(
            StrCat("weight ", value.node->attr<std::string>(0), " is not in the model file"));
      }
      // Kernels read weights through const accessors only.
      operand.tensor.data = const_cast<std::byte*>(weights_.Data(*weight).data());
    } else {
      operand.tensor.data = arena_ + offsets_.at({position(value.node), value.index});
    }
    return operand;
  }

 private:
  // A cache value is the state itself however often it was written.
  static int64_t StateId(Value value) {
    while (!value.node->op().traits.state) {
      value = value.node->input(value.node->op().traits.aliases_input);
    }
    return value.node->attr<int64_t>(0);
  }

  std::byte* arena_;
  const WeightSource& weights_;
  std::span<const KvView> states_;
  std::unordered_map<const Node*, int32_t> positions_;
  std::map<ValueRef, uint64_t> offsets_;
};

absl::Status CheckKernel(const Node& node, const Step& step, const KernelRegistry& registry,
                         const SymbolRanges& symbols) {
  const Placement& placement = *node.placement();
  if (placement.kernel == kViewKernel) return absl::OkStatus();
  const KernelInfo* info = registry.kernel(placement.kernel);
  if (info == nullptr || info->op != &node.op()) {
    return absl::UnimplementedError(StrCat("node ", DescribeNode(node), " needs the kernel ",
                                           placement.kernel,
                                           ", which this build does not have; compile the graph "
                                           "again with infer-compile on this machine"));
  }
  Decision accepts = info->accepts(node);
  if (!accepts.accepted()) {
    return absl::UnimplementedError(StrCat("node ", DescribeNode(node), ": kernel ",
                                           placement.kernel, " refuses it: ", accepts.reason()));
  }
  uint64_t wanted = info->workspace_bytes ? info->workspace_bytes(node, symbols) : 0;
  if (wanted > step.workspace_bytes) {
    return absl::UnimplementedError(
        StrCat("node ", DescribeNode(node), ": kernel ", placement.kernel, " wants ", wanted,
               " bytes of workspace, ", step.workspace_bytes,
               " were planned; compile the graph again with infer-compile"));
  }
  return absl::OkStatus();
}

size_t CountOperands(const Graph& graph) {
  size_t count = graph.num_nodes() + graph.results().size();
  for (const Node* node : graph.nodes()) count += node->inputs().size() + node->num_results();
  return count;
}

// Adds an operand and notes which of its dimensions a call must fill in.
absl::StatusOr<const Operand*> AddOperand(const OperandTable& table, Value value,
                                          ExecutableRegime* out) {
  ASSIGN_OR_RETURN(Operand operand, table.Make(value));
  Operand& added = out->operands.emplace_back(operand);
  if (value.type().is_tensor()) {
    for (int axis = 0; axis < value.type().rank(); ++axis) {
      Dim dim = value.type().dim(axis);
      if (dim.is_symbol()) out->patches.push_back({&added.tensor.dims[axis], dim.symbol()});
    }
  }
  return &added;
}

absl::Status AddArgs(const OperandTable& table, Node& node, std::byte* workspace,
                     const Batch* batch, ExecutableRegime* out) {
  size_t first = out->operands.size();
  for (Value input : node.inputs()) RETURN_IF_ERROR(AddOperand(table, input, out).status());
  for (int i = 0; i < node.num_results(); ++i) {
    RETURN_IF_ERROR(AddOperand(table, node.output(i), out).status());
  }
  const Operand* begin = out->operands.data() + first;
  size_t num_inputs = node.inputs().size();
  out->args.push_back({.inputs = {begin, num_inputs},
                       .outputs = {begin + num_inputs, static_cast<size_t>(node.num_results())},
                       .attrs = node.attrs(),
                       .batch = batch,
                       .workspace = workspace});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> Executable::Create(Program program,
                                                               const WeightSource& weights,
                                                               const KernelRegistry& registry,
                                                               std::span<const KvView> states) {
  if (states.size() != program.states.size()) {
    return absl::InternalError(
        StrCat("the program has ", program.states.size(), " states, given ", states.size()));
  }
  auto executable = std::unique_ptr<Executable>(new Executable(std::move(program), weights));
  RETURN_IF_ERROR(executable->AllocateArena());
  executable->regimes_.resize(executable->program_.regimes.size());
  for (size_t i = 0; i < executable->regimes_.size(); ++i) {
    RETURN_IF_ERROR(executable->Resolve(executable->program_.regimes[i], registry, states,
                                        &executable->regimes_[i]));
  }
  return executable;
}

absl::Status Executable::AllocateArena() {
  uint64_t bytes = 0;
  for (const Regime& regime : program_.regimes) {
    for (const Arena& arena : regime.graph.plan()->arenas) {
      if (arena.space == Device::kCpu) bytes = std::max(bytes, arena.bytes);
    }
    for (const Node* node : regime.graph.nodes()) {
      for (int i = 0; i < node->num_results(); ++i) {
        depends_on_context_ |= node->result(i).type.tensor.shape.Uses(Symbol::kS);
      }
    }
  }
  ASSIGN_OR_RETURN(arena_, ZeroedMemory::Create(bytes));
  return absl::OkStatus();
}

absl::Status Executable::Resolve(const Regime& regime, const KernelRegistry& registry,
                                 std::span<const KvView> states, ExecutableRegime* out) {
  const Graph& graph = regime.graph;
  const Plan& plan = *graph.plan();
  OperandTable table(graph, arena_.data(), weights_, states);
  std::vector<Node*> nodes = graph.nodes();
  out->regime = &regime;
  out->operands.reserve(CountOperands(graph));
  out->args.reserve(nodes.size());
  for (const Segment& segment : plan.segments) {
    const Backend* backend = registry.backend(segment.device);
    if (backend == nullptr) {
      return absl::UnavailableError(
          StrCat("the program uses the device ", Name(segment.device), ", which is not here"));
    }
    std::vector<PreparedStep> steps;
    for (const Step& step : segment.steps) {
      if (step.node < 0) return absl::UnimplementedError("copies between devices are not built in");
      Node& node = *nodes[step.node];
      RETURN_IF_ERROR(CheckKernel(node, step, registry, graph.symbols()));
      RETURN_IF_ERROR(AddArgs(table, node, arena_.data() + step.workspace_offset, &batch_, out));
      bool view = node.placement()->kernel == kViewKernel;
      steps.push_back({.node = &node,
                       .kernel = view ? std::string() : node.placement()->kernel,
                       .args = &out->args.back(),
                       .mode = step.mode,
                       .barrier_after = step.barrier_after});
    }
    ASSIGN_OR_RETURN(auto compiled, backend->Prepare(std::move(steps)));
    out->segments.push_back(std::move(compiled));
  }
  std::unordered_map<const Node*, int> input_index;
  for (Node* input : graph.inputs()) {
    input_index[input] = static_cast<int>(out->inputs.size());
    const Operand* operand = nullptr;
    if (input->result().type.is_tensor()) {
      ASSIGN_OR_RETURN(operand, AddOperand(table, input->output(), out));
    }
    out->inputs.push_back(operand);
  }
  for (const Node* node : nodes) {
    int index_input = node->op().traits.index_input;
    if (index_input < 0) continue;
    out->index_checks.push_back({input_index.at(node->input(index_input).node),
                                 node->input(0).type().dim(0).At(graph.symbols().Lowest())});
  }
  for (Value result : graph.results()) {
    ASSIGN_OR_RETURN(const Operand* operand, AddOperand(table, result, out));
    out->results.push_back(operand);
  }
  return absl::OkStatus();
}

}  // namespace infer
