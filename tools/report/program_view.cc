// SPDX-License-Identifier: Apache-2.0
#include "tools/report/program_view.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "ir/graph/plan.h"
#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"
#include "tools/report/quantity_text.h"

namespace infer {
namespace {

std::vector<NodeView> ViewNodes(const Graph& graph) {
  std::vector<uint64_t> ids = NodeIds(graph);
  std::map<std::pair<std::string_view, std::string_view>, int32_t> seen;
  std::vector<NodeView> views;
  int32_t position = 0;
  for (const Node* node : graph.nodes()) {
    int32_t ordinal = seen[{node->scope(), node->op().name}]++;
    if (node->placement()) {
      NodeView view;
      view.node = node;
      view.id = ids[position];
      view.position = position;
      view.ordinal = ordinal;
      views.push_back(view);
    }
    ++position;
  }
  return views;
}

void AddCopy(const CopyStep& copy, const Regime& regime, RegimeTotals* totals) {
  const Node& node = *regime.graph.nodes()[copy.value.node];
  const SymbolicCount bytes = CountBytes(node.result(copy.value.result).type);
  ++totals->copies;
  totals->copied_bytes_min += bytes.At(regime.graph.symbols().Lowest());
  totals->copied_bytes_max += bytes.At(regime.graph.symbols().Highest());
}

void AddSteps(const Plan& plan, RegimeView* view) {
  std::map<int32_t, NodeView*> by_position;
  for (NodeView& node : view->nodes) by_position[node.position] = &node;
  RegimeTotals& totals = view->totals;
  int32_t number = 0;
  const Segment* former = nullptr;
  totals.waits = static_cast<int64_t>(plan.waits.size());
  for (const Segment& segment : plan.segments) {
    totals.boundaries += former != nullptr && former->device != segment.device;
    totals.waits += static_cast<int64_t>(segment.waits.size());
    former = &segment;
    for (const Step& step : segment.steps) {
      if (step.copy) AddCopy(*step.copy, *view->regime, &totals);
      totals.serial_steps += !step.copy && step.mode == StepMode::kSerial;
      totals.barriers += step.barrier_after;
      if (auto it = by_position.find(step.node); it != by_position.end()) {
        it->second->step = number;
        it->second->mode = step.mode;
        it->second->barrier_after = step.barrier_after;
      }
      ++number;
    }
  }
  for (const Arena& arena : plan.arenas) {
    totals.arena_bytes += arena.bytes;
    totals.arena_lower_bound_bytes += arena.lower_bound;
  }
}

RegimeView View(const Program& program, const MachineDescription* machine, size_t number) {
  RegimeView view;
  view.regime = &program.regimes[number];
  view.nodes = ViewNodes(view.regime->graph);
  for (const NodeView& node : view.nodes) {
    ++view.totals.nodes_on[static_cast<size_t>(node.placement().target)];
  }
  if (machine != nullptr) {
    const Graph& graph = view.regime->graph;
    auto at = [&](const SymbolValues& values) {
      return std::round(EstimateCall(graph, *machine, values).ns());
    };
    view.totals.estimate_ns_min = at(LowerEnd(graph.symbols()));
    view.totals.estimate_ns_max = at(UpperEnd(graph.symbols()));
  }
  if (view.regime->graph.plan()) AddSteps(*view.regime->graph.plan(), &view);
  return view;
}

}  // namespace

std::string RegimeView::label() const { return StrCat("T ", RangeText(tokens())); }

std::vector<RegimeView> ViewRegimes(const Program& program) {
  // A loaded Program has a readable machine description: the verifier checks it.
  const absl::StatusOr<MachineDescription> machine = ParseMachine(program.machine.text, "machine");
  std::vector<RegimeView> views;
  for (size_t i = 0; i < program.regimes.size(); ++i) {
    views.push_back(View(program, machine.ok() ? &*machine : nullptr, i));
  }
  return views;
}

int RegimeOf(const Program& program, int64_t tokens) {
  for (size_t i = 0; i < program.regimes.size(); ++i) {
    const Regime& regime = program.regimes[i];
    if (regime.min_tokens <= tokens && tokens <= regime.max_tokens) return static_cast<int>(i);
  }
  return -1;
}

std::string IdText(uint64_t id) { return absl::StrFormat("%016x", id); }

std::string ModelText(const ModelRef& model) {
  return absl::StrJoin(model.files, ", ", [](std::string* out, const ModelRef::File& file) {
    StrAppend(out, file.name);
  });
}

std::string ResultsText(const Node& node) {
  std::vector<std::pair<std::string, int>> types;
  for (const ValueType& type : node.ResultTypes()) {
    std::string text = ToString(type);
    if (!types.empty() && types.back().first == text) {
      ++types.back().second;
    } else {
      types.emplace_back(std::move(text), 1);
    }
  }
  return absl::StrJoin(types, ", ", [](std::string* out, const std::pair<std::string, int>& type) {
    StrAppend(out, type.first);
    if (type.second > 1) StrAppend(out, " x", type.second);
  });
}

std::string WeightTypesText(const Node& node) {
  std::vector<std::string_view> types;
  for (Value input : node.inputs()) {
    if (!input.node->op().traits.weight) continue;
    std::string_view type = Name(input.type().tensor.dtype);
    if (std::ranges::find(types, type) == types.end()) types.push_back(type);
  }
  std::string text;
  for (std::string_view type : types) StrAppend(&text, text.empty() ? "" : " ", type);
  return text;
}

}  // namespace infer
