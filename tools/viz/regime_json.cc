// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/regime_json.h"

#include <cmath>
#include <map>
#include <utility>

#include "ir/base/json.h"
#include "ir/graph/node_name.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"
#include "passes/estimate.h"
#include "passes/node_facts.h"
#include "tools/report/placement_json.h"
#include "tools/report/placement_text.h"
#include "tools/report/regime_table.h"
#include "tools/report/shard_text.h"
#include "tools/viz/call_cost_json.h"
#include "tools/viz/crossings.h"

namespace infer {
namespace {

Json KindJson(const Node& node) {
  Json attrs = Json::object(), results = Json::array();
  for (size_t i = 0; i < node.attrs().size(); ++i) {
    attrs[std::string(node.op().attrs[i].name)] = ToString(node.attrs()[i]);
  }
  for (const ValueType& type : node.ResultTypes()) results.push_back(ToString(type));
  const Cost& cost = node.placement()->cost;
  Json json = {{"op", node.op().name},           {"attrs", std::move(attrs)},
               {"results", std::move(results)},  {"weight_types", WeightTypesText(node)},
               {"flops", CountJson(cost.flops)}, {"bytes", CountJson(cost.bytes)}};
  if (node.op().traits.view) json["view"] = true;
  if (std::string shard = ShardText(node); !shard.empty()) json["shard"] = shard;
  return json;
}

Json RecordJson(const Program& program, const NodeView& view, const SymbolRanges& symbols) {
  const Placement& placement = view.placement();
  Json rejected = Json::array(), passed = Json::array();
  for (const Rejected& other : placement.rejected) {
    rejected.push_back({{"target", Name(other.target)},
                        {"code", Name(other.code)},
                        {"why", other.text},
                        {"could_move", CouldMove(other)}});
  }
  for (const PassedOver& rule : RulesPassedOver(program, view, symbols)) {
    passed.push_back({{"rule", rule.rule}, {"terms", TermsJson(rule.terms)}});
  }
  Json json = {{"target", Name(placement.target)},
               {"kernel", placement.kernel},
               {"rule", placement.rule},
               {"source", Name(placement.source)},
               {"because", BecauseText(program, placement)},
               {"terms", TermsJson(placement.terms)},
               {"passed_over", std::move(passed)},
               {"rejected", std::move(rejected)},
               {"estimate_ns", EstimateJson(placement.estimate_ns_min, placement.estimate_ns_max)}};
  if (std::string_view flag = MustComeBefore(placement); !flag.empty()) json["place_before"] = flag;
  return json;
}

class RegimeWriter {
 public:
  RegimeWriter(const Program& program, const RegimeView& regime, VizTables* tables)
      : program_(program), regime_(regime), tables_(*tables) {
    for (size_t i = 0; i < regime.nodes.size(); ++i) {
      index_of_[regime.nodes[i].node] = static_cast<int32_t>(i);
      index_at_[regime.nodes[i].position] = static_cast<int32_t>(i);
    }
    if (tables_.choices != nullptr) call_bytes_ = CallBytes(regime.regime->graph);
    for (size_t i = 0; i < program.weights.size(); ++i) weight_of_[program.weights[i].name] = i;
  }

  Json Write() {
    Json json = TotalsJson(regime_);
    Json nodes = Json::array();
    for (size_t i = 0; i < regime_.nodes.size(); ++i) {
      nodes.push_back(RunJson(regime_.nodes[i]));
      if (tables_.choices == nullptr) continue;
      nodes.back()["choice"] = tables_.choices->Add(*regime_.nodes[i].node,
                                                    regime_.regime->kernel_choices[i], call_bytes_);
    }
    json["nodes_by_target"] = std::move(json["nodes"]);
    json["nodes"] = std::move(nodes);
    json["edges"] = EdgesJson();
    json["crossings"] = CrossingsJson();
    if (tables_.choices != nullptr && tables_.choices->machine() != nullptr &&
        HasValuesThatCross(program_)) {
      json["values"] = ValuesJson(regime_, *tables_.choices->machine(), &tables_.value_bytes);
    }
    if (const auto& plan = regime_.regime->graph.plan()) {
      json["segments"] = SegmentsJson(*plan);
      if (!plan->waits.empty()) json["waits_at_end"] = NamesJson(plan->waits);
      json["slots"] = SlotsJson(*plan);
      json["arenas"] = ArenasJson(*plan);
    }
    return json;
  }

 private:
  // Writes what belongs to this regime alone; the node's step is in the segments.
  Json RunJson(const NodeView& view) {
    return {{"node", tables_.nodes.Add(NodeJson(view))},
            {"record", tables_.records.Add(RecordJson(program_, view, regime_.symbols()))}};
  }

  // Writes what is the same in every regime.
  Json NodeJson(const NodeView& view) {
    const Node& node = *view.node;
    Json weights = Json::array(), others = Json::array(), origins = Json::array();
    for (const Value& input : node.inputs()) {
      if (input.node->op().traits.weight) {
        weights.push_back(weight_of_[WeightKey(*input.node)]);
      } else if (input.node->op().traits.state) {
        others.push_back("kv cache");
      } else if (input.node->Is(ops::kInput)) {
        others.push_back(input.node->result().name);
      }
    }
    for (int i = 0; i < node.num_results(); ++i) origins.push_back(node.result(i).origin);
    Json json = {{"id", IdText(view.id)}, {"scope", node.scope()}};
    if (view.ordinal > 0) json["ordinal"] = view.ordinal;
    if (!node.merged_scopes().empty()) {
      json["name"] = NodeName(node);
      json["merged"] = node.merged_scopes();
    }
    if (auto layer = LayerOf(node.scope())) json["layer"] = *layer;
    json["kind"] = tables_.kinds.Add(KindJson(node));
    json["origins"] = std::move(origins);
    if (!weights.empty()) json["weights"] = std::move(weights);
    if (!others.empty()) json["reads"] = std::move(others);
    return json;
  }

  Json EdgesJson() const {
    Json edges = Json::array();
    const EdgeKinds kinds(regime_);
    const SymbolValues lowest = regime_.symbols().Lowest(), highest = regime_.symbols().Highest();
    for (const NodeView& view : regime_.nodes) {
      for (const Value& input : view.node->inputs()) {
        auto from = index_of_.find(input.node);
        if (from == index_of_.end()) continue;
        SymbolicCount bytes = CountBytes(input.type());
        edges.push_back({from->second, input.index, index_of_.at(view.node),
                         std::llround(bytes.At(lowest)), std::llround(bytes.At(highest)),
                         static_cast<int>(kinds.Of(*input.node, *view.node))});
      }
    }
    return edges;
  }

  Json CrossingsJson() const {
    Json crossings = Json::array();
    for (const Crossing& crossing : CrossingsOf(regime_)) {
      crossings.push_back(
          {{"from", Name(crossing.from)},
           {"to", Name(crossing.to)},
           {"boundaries", crossing.boundaries},
           {"copies", crossing.copies},
           {"copied_bytes",
            {std::llround(crossing.copied_bytes_min), std::llround(crossing.copied_bytes_max)}},
           {"shared", crossing.shared},
           {"shared_bytes",
            {std::llround(crossing.shared_bytes_min), std::llround(crossing.shared_bytes_max)}}});
    }
    return crossings;
  }

  // Returns -1 for an input of the graph, which is not a node that runs.
  int32_t IndexAt(int32_t position) const {
    auto it = index_at_.find(position);
    return it == index_at_.end() ? -1 : it->second;
  }

  static Json NamesJson(const std::vector<Device>& devices) {
    Json names = Json::array();
    for (Device device : devices) names.push_back(Name(device));
    return names;
  }

  Json SegmentsJson(const Plan& plan) const {
    Json segments = Json::array();
    for (const Segment& segment : plan.segments) {
      Json steps = Json::array();
      for (const Step& step : segment.steps) {
        Json json = {{"mode", Name(step.mode)}};
        if (step.copy) {
          json["copy"] = {{"node", IndexAt(step.copy->value.node)},
                          {"result", step.copy->value.result},
                          {"from", Name(step.copy->from)},
                          {"to", Name(step.copy->to)}};
        } else {
          json["node"] = IndexAt(step.node);
        }
        if (step.barrier_after) json["barrier"] = true;
        if (step.workspace_bytes > 0) {
          json["workspace"] = {step.workspace_offset, step.workspace_bytes};
        }
        steps.push_back(std::move(json));
      }
      Json json = {{"device", Name(segment.device)}, {"space", Name(segment.space())}};
      if (!segment.waits.empty()) json["waits"] = NamesJson(segment.waits);
      json["steps"] = std::move(steps);
      segments.push_back(std::move(json));
    }
    return segments;
  }

  Json SlotsJson(const Plan& plan) const {
    Json slots = Json::array();
    for (const Slot& slot : plan.slots) {
      Json json = {{"node", IndexAt(slot.value.node)},
                   {"result", slot.value.result},
                   {"space", Name(slot.space)},
                   {"offset", slot.offset},
                   {"bytes", slot.bytes},
                   {"steps", {slot.first_step, slot.last_step}}};
      if (slot.alias_of) {
        json["alias_of"] = {IndexAt(slot.alias_of->node), slot.alias_of->result};
      }
      slots.push_back(std::move(json));
    }
    return slots;
  }

  static Json ArenasJson(const Plan& plan) {
    Json arenas = Json::array();
    for (const Arena& arena : plan.arenas) {
      arenas.push_back({{"space", Name(arena.space)},
                        {"bytes", arena.bytes},
                        {"bytes_per_thread", arena.bytes_per_thread},
                        {"lower_bound", arena.lower_bound}});
    }
    return arenas;
  }

  const Program& program_;
  const RegimeView& regime_;
  VizTables& tables_;
  SymbolicCount call_bytes_;
  std::map<const Node*, int32_t> index_of_;
  std::map<int32_t, int32_t> index_at_;  // by position
  std::map<std::string, size_t> weight_of_;
};

}  // namespace

Json RegimeJson(const Program& program, const RegimeView& regime, VizTables* tables) {
  return RegimeWriter(program, regime, tables).Write();
}

}  // namespace infer
