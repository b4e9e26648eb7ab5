// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verifier.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "absl/strings/escaping.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/placement.h"
#include "ir/graph/plan.h"
#include "ir/ops/attributes.h"
#include "ir/verify/verify_kernel_record.h"
#include "ir/verify/verify_plan.h"

namespace infer {
namespace {

// Limit for one tensor's bytes at the upper ends. Model files have the same limit, which ensures
// that no sum over a graph's million nodes can overflow 64 bits.
constexpr uint64_t kMaxTensorBytes = uint64_t{1} << 40;

absl::Status Error(const Node& node, std::string_view what) {
  return absl::InvalidArgumentError(StrCat(DescribeNode(node), ": ", what));
}

absl::Status VerifySymbols(const Graph& graph) {
  for (Symbol symbol : kAllSymbols) {
    const Range& range = graph.symbols()[symbol];
    if (range == Range{}) continue;
    if (range.min < 1 || range.max < range.min || range.max > kMaxDim) {
      return absl::InvalidArgumentError(StrCat("symbol ", Name(symbol), " has the range ",
                                               range.min, "..", range.max,
                                               ", expected 1 <= min <= max <= ", kMaxDim));
    }
  }
  return absl::OkStatus();
}

// Returns the upper ends, with 1 for symbols that have no range yet.
SymbolValues UpperEnds(const SymbolRanges& symbols) {
  SymbolRanges bound = symbols;
  for (Range& range : bound.ranges) {
    if (!range.is_set()) range = {1, 1};
  }
  return bound.Highest();
}

absl::Status VerifyShape(const Graph& graph, const Node& node, const ValueType& type) {
  for (Dim dim : type.tensor.shape) {
    if (!dim.is_symbol()) {
      if (dim.value() < 1 || dim.value() > kMaxDim) {
        return Error(node,
                     StrCat("its type ", ToString(type), " has a dimension outside 1..", kMaxDim));
      }
    } else if (graph.stage() >= Stage::kBound && !graph.symbols()[dim.symbol()].is_set()) {
      return Error(node,
                   StrCat("its type uses ", Name(dim.symbol()),
                          ", which has no range although the graph is ", Name(graph.stage())));
    }
  }
  if (!CountElements(type.tensor.shape)) {
    return Error(node, StrCat("its type ", ToString(type),
                              " combines symbols other than one of T, R, S or T and S"));
  }
  return absl::OkStatus();
}

absl::Status VerifyType(const Graph& graph, const Node& node, const ValueType& type) {
  if (type.kind == TypeKind::kBatch) {
    if (type == ValueType::Batch()) return absl::OkStatus();
    return Error(node, "its batch type carries a tensor type");
  }
  RETURN_IF_ERROR(VerifyShape(graph, node, type));
  bool symbolic_rows = type.rank() > 0 && type.dim(-1).is_symbol();
  if (IsQuantized(type.tensor.dtype) && symbolic_rows) {
    return Error(
        node, StrCat("its type ", ToString(type), " is quantised but has rows of unknown length"));
  }
  std::optional<uint64_t> bytes = BytesAt(type.tensor, UpperEnds(graph.symbols()));
  if (!bytes || *bytes >= kMaxTensorBytes) {
    return Error(node, StrCat("its type ", ToString(type),
                              " is not a whole number of blocks or takes 2^40 bytes or more"));
  }
  return absl::OkStatus();
}

absl::Status VerifyInputs(const NumberedGraph& numbered, int32_t at) {
  const Node& node = *numbered.nodes[at];
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    Value input = node.input(static_cast<int>(i));
    auto found = input ? numbered.position.find(input.node) : numbered.position.end();
    if (found == numbered.position.end()) {
      return Error(node, StrCat("input ", i, " is not a value of this graph"));
    }
    if (found->second >= at) {
      return Error(node, StrCat("input ", i, " is ", DescribeNode(*input.node),
                                ", which does not come before it"));
    }
    if (input.index < 0 || input.index >= input.node->num_results()) {
      return Error(
          node, StrCat("input ", i, " is result ", input.index, " of ", DescribeNode(*input.node),
                       ", which has ", input.node->num_results()));
    }
  }
  int index_input = node.op().traits.index_input;
  if (index_input >= 0 && index_input < static_cast<int>(node.inputs().size()) &&
      !node.input(index_input).node->Is(ops::kInput)) {
    return Error(node, StrCat("input ", index_input,
                              " holds row numbers and must be an input of the graph, where they "
                              "are checked; found ",
                              DescribeNode(*node.input(index_input).node)));
  }
  return absl::OkStatus();
}

absl::Status VerifyTypes(const Graph& graph, const Node& node) {
  std::vector<ValueType> inputs = node.InputTypes();
  std::vector<ValueType> stored = node.ResultTypes();
  for (const ValueType& type : stored) RETURN_IF_ERROR(VerifyType(graph, node, type));
  absl::StatusOr<Types> inferred = CheckAndInfer({node.op(), inputs, node.attrs(), stored});
  if (!inferred.ok()) return Error(node, ToStd(inferred.status().message()));
  if (inferred->size() != stored.size()) {
    return Error(node, StrCat("has ", stored.size(), " results, expected ", inferred->size()));
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    if (stored[i] == (*inferred)[i]) continue;
    return Error(node, StrCat("result ", i, " is ", ToString(stored[i]), ", expected ",
                              ToString((*inferred)[i])));
  }
  return absl::OkStatus();
}

absl::Status VerifyStructure(const NumberedGraph& numbered) {
  bool inputs_over = false;
  for (size_t at = 0; at < numbered.nodes.size(); ++at) {
    const Node& node = *numbered.nodes[at];
    if (node.Is(ops::kInput) && inputs_over) {
      return Error(node, "inputs of the graph must come before all other nodes");
    }
    inputs_over |= !node.Is(ops::kInput);
    if (node.num_results() == 0) {
      return absl::InvalidArgumentError(
          StrCat("node ", at, " (", node.op().name, ") has no results, expected at least one"));
    }
    RETURN_IF_ERROR(VerifyInputs(numbered, static_cast<int32_t>(at)));
    RETURN_IF_ERROR(VerifyTypes(numbered.graph, node));
  }
  if (numbered.graph.results().empty()) {
    return absl::InvalidArgumentError("the graph has no results");
  }
  for (Value result : numbered.graph.results()) {
    if (!result || !numbered.position.contains(result.node) || result.index < 0 ||
        result.index >= result.node->num_results()) {
      return absl::InvalidArgumentError("a result of the graph is not one of its values");
    }
  }
  return absl::OkStatus();
}

// A weight has the same type wherever it is named; a state has one node.
absl::Status VerifyDeclarations(const NumberedGraph& numbered) {
  std::map<std::string, const Node*> weights;
  std::set<int64_t> states;
  for (const Node* node : numbered.nodes) {
    if (node->op().traits.weight) {
      const Node* first = weights.emplace(WeightKey(*node), node).first->second;
      if (first->result().type != node->result().type) {
        return Error(*node, StrCat("weight ", Quote(WeightName(*node)), " is ",
                                   ToString(node->result().type), " here and ",
                                   ToString(first->result().type), " before"));
      }
    }
    if (node->op().traits.state && !states.insert(StateId(*node)).second) {
      return Error(*node, StrCat("state ", StateId(*node), " has two nodes"));
    }
  }
  return absl::OkStatus();
}

// A node that writes into its input's memory outside the plan (a cache) must be the last to use the
// version it replaces: a later reader would see the new one.
absl::Status VerifyWritten(const NumberedGraph& numbered, int32_t at) {
  Node& node = *numbered.nodes[at];
  int aliased = node.op().traits.aliases_input;
  if (aliased < 0) return absl::OkStatus();
  for (const Use& use : numbered.graph.uses(node.input(aliased))) {
    if (use.user == &node && use.input == aliased) continue;
    if (use.user == nullptr || use.user == &node || numbered.position.at(use.user) > at) {
      return Error(node,
                   StrCat("writes ", DescribeNode(*node.input(aliased).node), ", which ",
                          use.user == nullptr ? "is a result of the graph" : "is used again by ",
                          use.user == nullptr ? "" : DescribeNode(*use.user)));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyRejected(const Node& node, const Placement& placement) {
  std::set<Target> seen = {placement.target};
  for (const Rejected& rejected : placement.rejected) {
    if (!seen.insert(rejected.target).second) {
      return Error(node,
                   StrCat("its placement rejects ", Name(rejected.target),
                          rejected.target == placement.target ? ", which it uses" : " twice"));
    }
    if (rejected.text.empty()) {
      return Error(node,
                   StrCat("its placement rejects ", Name(rejected.target), " without a reason"));
    }
  }
  for (Target target : kUserTargets) {
    if (!seen.contains(target)) {
      return Error(node, StrCat("its placement does not say why ", Name(target), " was not taken"));
    }
  }
  return absl::OkStatus();
}

// The parts of an op that legalize has expanded are pinned to a target before the other nodes are
// placed.
bool IsPinned(const Graph& graph, const Node& node) {
  return graph.stage() == Stage::kBound && IsExecuted(node) &&
         node.placement()->source == PlacementSource::kLegalize;
}

absl::Status VerifyPlacement(const Graph& graph, const Node& node) {
  if (graph.stage() < Stage::kPlaced || !IsExecuted(node)) {
    if (!node.placement()) return absl::OkStatus();
    if (IsPinned(graph, node)) return VerifyKernelRecord(node);
    return Error(node,
                 graph.stage() < Stage::kPlaced
                     ? StrCat("has a placement although the graph is only ", Name(graph.stage()))
                     : "has a placement although it is not executed");
  }
  if (!node.placement()) {
    return Error(node, StrCat("has no placement although the graph is ", Name(graph.stage())));
  }
  const Placement& placement = *node.placement();
  if (placement.kernel.empty()) return Error(node, "its placement names no kernel");
  if (placement.rule.empty()) return Error(node, "its placement names no rule");
  RETURN_IF_ERROR(VerifyKernelRecord(node));
  for (const Term& term : placement.terms) {
    if (term.field.empty() || (term.cmp != "<=" && term.cmp != ">=")) {
      return Error(node, StrCat("its placement has the predicate ", Quote(term.field), " ",
                                Quote(term.cmp), ", expected a field with <= or >="));
    }
  }
  for (double ns : {placement.estimate_ns_min, placement.estimate_ns_max}) {
    if (!std::isfinite(ns) || ns < 0)
      return Error(node, "its estimates must be finite, non-negative times");
  }
  return VerifyRejected(node, placement);
}

absl::Status VerifyPlan(const NumberedGraph& numbered) {
  const Graph& graph = numbered.graph;
  if ((graph.plan() != nullptr) != (graph.stage() >= Stage::kScheduled)) {
    return absl::InvalidArgumentError(StrCat("the graph is ", Name(graph.stage()), " and has ",
                                             graph.plan() ? "a" : "no", " plan"));
  }
  if (!graph.plan()) return absl::OkStatus();
  RETURN_IF_ERROR(VerifySchedule(numbered));
  RETURN_IF_ERROR(VerifyThreads(numbered, MemoryByValue()));
  if (graph.stage() == Stage::kPlanned) return VerifyMemory(numbered);
  if (!graph.plan()->slots.empty() || !graph.plan()->arenas.empty()) {
    return absl::InvalidArgumentError("the graph is only scheduled but has slots or arenas");
  }
  return absl::OkStatus();
}

}  // namespace

NumberedGraph::NumberedGraph(const Graph& numbered) : graph(numbered), nodes(numbered.nodes()) {
  position.reserve(nodes.size());
  first_value.reserve(nodes.size() + 1);
  first_value.push_back(0);
  for (size_t i = 0; i < nodes.size(); ++i) {
    position[nodes[i]] = static_cast<int32_t>(i);
    first_value.push_back(first_value.back() + nodes[i]->num_results());
  }
}

bool NumberedGraph::Contains(ValueRef ref) const {
  return ref.node >= 0 && ref.node < static_cast<int64_t>(nodes.size()) && ref.result >= 0 &&
         ref.result < nodes[ref.node]->num_results();
}

absl::Status Verify(const Graph& graph) {
  NumberedGraph numbered(graph);
  RETURN_IF_ERROR(VerifySymbols(graph));
  RETURN_IF_ERROR(VerifyStructure(numbered));
  RETURN_IF_ERROR(VerifyDeclarations(numbered));
  for (size_t at = 0; at < numbered.nodes.size(); ++at) {
    RETURN_IF_ERROR(VerifyWritten(numbered, static_cast<int32_t>(at)));
    RETURN_IF_ERROR(VerifyPlacement(graph, *numbered.nodes[at]));
  }
  return VerifyPlan(numbered);
}

// Names may come from a file, so they are escaped to keep an error on one line.
std::string DescribeNode(const Node& node) {
  std::string name = node.num_results() == 0 ? "" : node.result().name;
  if (!name.empty()) return StrCat("%", absl::CHexEscape(name), " (", node.op().name, ")");
  if (node.scope().empty()) return StrCat("a node (", node.op().name, ")");
  return StrCat("the ", node.op().name, " of ", absl::CHexEscape(node.scope()));
}

}  // namespace infer
