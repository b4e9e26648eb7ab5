// SPDX-License-Identifier: Apache-2.0
#include "passes/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/graph/common_memory.h"
#include "ir/graph/plan.h"
#include "ir/ops/message.h"
#include "ir/ops/ops.h"
#include "passes/boundary_cost.h"
#include "passes/expand.h"

namespace infer {
namespace {

// Returns the time for an amount at a rate in units per nanosecond; 0 if the rate is unknown
// (zero).
double NsOf(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

// Returns whether the input is a weight matrix that is read whole, not by single rows.
bool IsMatrix(const Node& node, const Value& input) {
  return input.node->op().traits.weight && input.type().rank() == 2 &&
         node.op().traits.index_input < 0;
}

// Returns the cache bytes that a node reads. Writes are only T rows and cost the same as
// activations.
SymbolicCount CacheBytes(const Node& node, const Cost& cost) {
  for (const Value& input : node.inputs()) {
    if (input.type().kind == TypeKind::kKv) return {.cs = cost.bytes.cs};
  }
  return {};
}

std::string_view CacheType(const Node& node) {
  for (const Value& input : node.inputs()) {
    if (input.type().kind == TypeKind::kKv) return Name(input.type().tensor.dtype);
  }
  return "";
}

double RowsOf(const Node& node, const SymbolValues& at) {
  const ValueType* type = RowsType(node);
  return type == nullptr ? 1 : static_cast<double>(type->dim(0).At(at));
}

// A token does not see later tokens: of the pairs of a sequence with t tokens in the call, t * (t -
// 1) / 2 are not computed.
double VisibleOperations(const SymbolicCount& flops, const SymbolValues& at) {
  const double tokens = static_cast<double>(at.t);
  const double of_each = std::max(1.0, tokens / static_cast<double>(at.sequences));
  return flops.At(at) - flops.ctsn * tokens * (of_each - 1) / 2;
}

// Each part of a product has the rate of its weight's type.
void AddProduct(const Node& node, Target target, bool cached, double rows, double other_bytes,
                const MachineDescription& machine, Estimate* estimate) {
  double fixed_ns = 0;
  for (const Value& input : node.inputs()) {
    if (!IsMatrix(node, input)) continue;
    const TensorType& type = input.type().tensor;
    const KernelRate* rate = machine.FindRate(target, "linear", Name(type.dtype));
    if (rate == nullptr) continue;
    const double bytes = static_cast<double>(BytesAt(type, {}).value_or(0));
    const double products = static_cast<double>(type.dim(0).value()) *
                            (static_cast<double>(type.dim(1).value()) + rate->start_elements);
    estimate->memory_ns += NsOf(bytes, cached ? rate->cached_gb_s : rate->gb_s);
    estimate->arithmetic_ns += NsOf(2 * products * rows, RateAt(rate->rates, rows));
    fixed_ns = std::max(fixed_ns, rate->fixed_ns + FixedAt(rate->rates, rows));
    estimate->memory_ns += NsOf(std::exchange(other_bytes, 0), rate->cached_gb_s);
  }
  estimate->fixed_ns += fixed_ns;
}

// The share of `experts` that `tokens` tokens use, if each chooses `used` of them at random.
double ShareOfExperts(double experts, double used, double tokens) {
  return 1 - std::pow(1 - std::min(1.0, used / experts), tokens);
}

// The weights of the experts in use are read once, and each multiplies its share of the rows.
void AddExperts(const Node& node, Target target, bool cached, double tokens, double other_bytes,
                const MachineDescription& machine, Estimate* estimate) {
  const int ids = node.op().traits.expert_input;
  const double used = static_cast<double>(node.input(ids).type().dim(1).value());
  for (int i = 1; i < ids; ++i) {
    const TensorType& type = node.input(i).type().tensor;
    const KernelRate* rate = machine.FindRate(target, "linear", Name(type.dtype));
    if (rate == nullptr) continue;
    const double experts = static_cast<double>(type.dim(0).value());
    const double active = experts * ShareOfExperts(experts, used, tokens);
    const double bytes = static_cast<double>(BytesAt(type, {}).value_or(0)) * active / experts;
    const double products = static_cast<double>(type.dim(1).value()) *
                            (static_cast<double>(type.dim(2).value()) + rate->start_elements);
    estimate->memory_ns += NsOf(bytes, cached ? rate->cached_gb_s : rate->gb_s);
    estimate->memory_ns += NsOf(std::exchange(other_bytes, 0), rate->cached_gb_s);
    estimate->arithmetic_ns +=
        NsOf(2 * products * tokens * used, RateAt(rate->rates, tokens * used / active));
    estimate->fixed_ns += i == 1 ? rate->fixed_ns : 0;
  }
}

// The number of ranks of which each computes a share of the node's rows.
double RanksOfRows(const Node& node) {
  const Node* sharer = RowSharerOf(node);
  return sharer == nullptr ? 1 : static_cast<double>(ops::AllRowsRanks(sharer->attrs()));
}

// Bytes of activations: what the node reads and writes apart from weights.
double ActivationBytes(const Node& node, const SymbolValues& at) {
  double bytes = 0;
  for (const Value& input : node.inputs()) {
    if (!input.node->op().traits.weight) bytes += CountBytes(input.type()).At(at);
  }
  for (const ValueType& type : node.ResultTypes()) bytes += CountBytes(type).At(at);
  return bytes;
}

// An op that joins others with one product or one attention is a series of launches, of which each
// part has its own, but for one that works in place where the whole op does: the kernel of the
// product adds to what is there. What the parts beside the product or the attention take is a fixed
// cost. Nullopt for other ops.
std::optional<Estimate> EstimateSeries(const Node& node, Target target,
                                       const SymbolicCount& call_bytes,
                                       const MachineDescription& machine, const SymbolValues& at) {
  if (!node.op().composite()) return std::nullopt;
  NodeCopy copy = CopyNode(node);
  const absl::StatusOr<std::vector<Node*>> parts = Expand(copy.graph, copy.node);
  const auto is_main = [&](const Node* part) {
    return part->op().family_name() == node.op().family_name();
  };
  // A plain attention decomposes into no attention, and several products together are one launch.
  if (!parts.ok() || std::ranges::count_if(*parts, is_main) != 1) return std::nullopt;
  const bool in_place = node.op().traits.in_place_input >= 0;
  Estimate estimate;
  double others_ns = 0;
  for (const Node* part : *parts) {
    if (!is_main(part) && in_place && part->op().traits.in_place_input >= 0) continue;
    const Estimate of_part = EstimateNode(*part, target, call_bytes, machine, at);
    if (is_main(part)) {
      estimate = of_part;
    } else {
      others_ns += of_part.ns();
    }
  }
  estimate.fixed_ns += others_ns;
  return estimate;
}

double MatrixBytes(const Node& node) {
  double bytes = 0;
  for (const Value& input : node.inputs()) {
    if (!IsMatrix(node, input)) continue;
    bytes += static_cast<double>(BytesAt(input.type().tensor, {}).value_or(0));
  }
  return bytes;
}

}  // namespace

std::string_view Name(Bound bound) {
  constexpr std::string_view kNames[] = {"fixed cost", "memory", "arithmetic"};
  return kNames[static_cast<int>(bound)];
}

double Estimate::ns() const { return fixed_ns + std::max(memory_ns, arithmetic_ns); }

Bound Estimate::bound() const {
  if (fixed_ns >= std::max(memory_ns, arithmetic_ns)) return Bound::kFixedCost;
  return memory_ns >= arithmetic_ns ? Bound::kMemory : Bound::kArithmetic;
}

std::string ToText(const Estimate& estimate) {
  return absl::StrFormat("%.4g us, bound by %s (fixed cost %.3g, memory %.3g, arithmetic %.3g)",
                         estimate.ns() / 1e3, std::string(Name(estimate.bound())),
                         estimate.fixed_ns / 1e3, estimate.memory_ns / 1e3,
                         estimate.arithmetic_ns / 1e3);
}

SymbolicCount CallBytes(const Graph& graph) {
  SymbolicCount bytes;
  std::set<const Node*> counted;
  for (const Node* node : graph.nodes()) {
    if (!IsExecuted(*node)) continue;
    bytes += CacheBytes(*node, CostOf(*node));
    // A token's experts: what a call of one token reads.
    if (const int ids = node->op().traits.expert_input; ids >= 0) {
      for (int i = 1; i < ids; ++i) {
        const ValueType& type = node->input(i).type();
        const double used = static_cast<double>(node->input(ids).type().dim(1).value());
        bytes += used / static_cast<double>(type.dim(0).value()) * CountBytes(type);
      }
    }
    for (const Value& input : node->inputs()) {
      if (IsMatrix(*node, input) && counted.insert(input.node).second) {
        bytes += CountBytes(input.type());
      }
    }
  }
  return bytes;
}

Estimate EstimateNode(const Node& node, Target target, const SymbolicCount& call_bytes,
                      const MachineDescription& machine, const SymbolValues& at) {
  Estimate estimate;
  const TargetCost* target_cost = machine.FindCost(target);
  if (node.op().traits.view || target_cost == nullptr) return estimate;
  estimate.fixed_ns = target_cost->step_ns;
  const bool cached = call_bytes.At(at) <= static_cast<double>(machine.cache_bytes);
  const double rows = RowsOf(node, at);
  // A message is written, travels, and is read: one after the other.
  if (node.op().traits.collective) {
    const ExchangeEstimate exchange = EstimateExchange(node, machine, at);
    estimate.fixed_ns = exchange.fixed_ns;
    estimate.memory_ns = exchange.bytes_ns + exchange.local_ns;
    return estimate;
  }
  const Cost cost = CostOf(node);
  if (node.op().traits.expert_input >= 0) {
    AddExperts(node, target, cached, rows, ActivationBytes(node, at), machine, &estimate);
    return estimate;
  }
  const double matrix_bytes = MatrixBytes(node);
  const std::string_view type = CacheType(node);
  // For one row a GPU has kernels that do everything.
  if (rows > 1 && RecordOf(DeviceOf(target)).is_gpu &&
      (matrix_bytes > 0 || node.op().family_name() == ops::kAttention.family_name())) {
    if (const auto series = EstimateSeries(node, target, call_bytes, machine, at)) return *series;
  }
  if (matrix_bytes > 0) {
    AddProduct(node, target, cached, rows, cost.bytes.At(at) - matrix_bytes, machine, &estimate);
    return estimate;
  }
  const KernelRate* rate = machine.FindRate(target, node.op().name, type);
  if (rate == nullptr) return estimate;
  const double cache_bytes = CacheBytes(node, cost).At(at);
  estimate.memory_ns = NsOf(cache_bytes, cached ? rate->cached_gb_s : rate->gb_s) +
                       NsOf(cost.bytes.At(at) - cache_bytes, rate->cached_gb_s);
  // Kernels that read the cache process the rows of one sequence together, and the sequences in
  // turn.
  const double rows_together =
      type.empty() ? rows : std::max(1.0, rows / static_cast<double>(at.sequences));
  estimate.fixed_ns += rate->fixed_ns + FixedAt(rate->rates, rows_together);
  estimate.arithmetic_ns =
      NsOf(VisibleOperations(cost.flops, at), RateAt(rate->rates, rows_together));
  const double ranks = RanksOfRows(node);
  estimate.memory_ns /= ranks;
  estimate.arithmetic_ns /= ranks;
  return estimate;
}

ExchangeEstimate EstimateExchange(const Node& node, const MachineDescription& machine,
                                  const SymbolValues& at) {
  const Target target = node.placement() ? node.placement()->target : Target::kRanks;
  const std::string_view op = node.op().name;
  ExchangeEstimate estimate;
  if (const TargetCost* cost = machine.FindCost(target)) estimate.fixed_ns = cost->step_ns;
  if (const KernelRate* network = machine.FindRate(target, op, ""); network != nullptr) {
    estimate.fixed_ns += network->fixed_ns;
    estimate.bytes_ns = NsOf(CostOf(node).bytes.At(at), network->cached_gb_s);
  }
  const std::string_view type = ops::MessageType(node);
  const KernelRate* local = machine.FindRate(target, op, type);
  // A description may be older than results that stay rounded: they take less than others do.
  if (type == ops::kStayingType && local != nullptr && local->type != type) {
    local = machine.FindRate(target, op, ops::kStayingForm.name);
  }
  if (local != nullptr) {
    const double elements =
        CountElements(node.result().type.tensor.shape).value_or(SymbolicCount{}).At(at);
    estimate.local_ns = NsOf(elements, RateAt(local->rates, RowsOf(node, at)));
  }
  return estimate;
}

CallEstimate EstimateCall(const Graph& graph, const MachineDescription& machine,
                          const SymbolValues& at) {
  CallEstimate call{.node_ns = {}, .overhead_ns = CallOverheadNs(graph, machine, at)};
  const SymbolicCount call_bytes = CallBytes(graph);
  for (const Node* node : graph.nodes()) {
    if (!node->placement() || node->op().traits.view) continue;
    const Estimate estimate =
        EstimateNode(*node, node->placement()->target, call_bytes, machine, at);
    call.node_ns[static_cast<int>(estimate.bound())] += estimate.ns();
  }
  return call;
}

double CallOverheadNs(const Graph& graph, const MachineDescription& machine,
                      const SymbolValues& at) {
  double overhead_ns = machine.call_ns + BoundaryCosts(graph, machine).Crossings(at);
  std::optional<Device> device;
  bool announced = false;
  bool awake = false;  // whether the threads that share this segment's steps have been woken
  for (const Node* node : graph.nodes()) {
    if (!node->placement() || node->op().traits.view) continue;
    const Target target = node->placement()->target;
    if (device != DeviceOf(target)) awake = false;
    device = DeviceOf(target);
    const TargetCost* cost = machine.FindCost(target);
    // Rank 0 tells the others what to run before it does: one more exchange.
    if (cost != nullptr && node->op().traits.collective && !std::exchange(announced, true)) {
      overhead_ns += cost->step_ns;
    }
    if (cost != nullptr && cost->wake_ns > 0 && !std::exchange(awake, true)) {
      overhead_ns += cost->wake_ns;
    }
  }
  return overhead_ns;
}

SymbolValues LowerEnd(const SymbolRanges& symbols) {
  SymbolValues at = symbols.Lowest();
  at.s = std::max(at.s, at.t);
  return at;
}

SymbolValues UpperEnd(const SymbolRanges& symbols) {
  SymbolValues at = symbols.Highest();
  at.s = std::max(at.s, at.t);
  return at;
}

bool FillEstimates(Graph& graph, const MachineDescription& machine) {
  const SymbolicCount call_bytes = CallBytes(graph);
  const SymbolValues lower = LowerEnd(graph.symbols()), upper = UpperEnd(graph.symbols());
  bool changed = false;
  for (Node* node : graph.nodes()) {
    if (!node->placement()) continue;
    Placement placement = *node->placement();
    auto at = [&](const SymbolValues& values) {
      return std::round(EstimateNode(*node, placement.target, call_bytes, machine, values).ns());
    };
    placement.estimate_ns_min = at(lower);
    placement.estimate_ns_max = at(upper);
    if (placement == *node->placement()) continue;
    node->set_placement(std::move(placement));
    changed = true;
  }
  return changed;
}

}  // namespace infer
