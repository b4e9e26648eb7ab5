// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/viz_json.h"

#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "ir/policy/policy_text.h"
#include "tools/report/layer_groups.h"
#include "tools/report/placement_text.h"
#include "tools/viz/call_cost_json.h"
#include "tools/viz/choice_json.h"
#include "tools/viz/pass_texts.h"
#include "tools/viz/regime_json.h"
#include "tools/viz/target_look.h"
#include "tools/viz/timing_json.h"

namespace infer {
namespace {

Json BoundsJson(const Rule& rule) {
  Json bounds = Json::object();
  for (const BoundsField& field : kBoundsFields) {
    const Bounds& of = rule.*field.bounds;
    if (of.min) bounds[field.name]["min"] = *of.min;
    if (of.max) bounds[field.name]["max"] = *of.max;
  }
  return bounds;
}

Json PolicyJson(const Policy& policy) {
  Json rules = Json::array();
  for (const Rule& rule : policy.rules) {
    Json targets = Json::array();
    for (Target target : rule.targets) targets.push_back(Name(target));
    Json json = {{"name", rule.name}};
    if (!rule.op.empty()) json["op"] = rule.op;
    if (!rule.scope.empty()) json["scope"] = rule.scope;
    if (!rule.node.empty()) json["node"] = rule.node;
    if (!rule.weight_type.empty()) json["weight_type"] = rule.weight_type;
    if (rule.phase != Phase::kAny) json["phase"] = Name(rule.phase);
    json["bounds"] = BoundsJson(rule);
    json["targets"] = std::move(targets);
    rules.push_back(std::move(json));
  }
  bool decomposes = policy.composites == Policy::Composites::kDecompose;
  bool keeps_float = policy.activations == Policy::Activations::kFloat;
  return {{"name", policy.name},
          {"summary", policy.summary},
          {"composites", decomposes ? "decompose" : "keep"},
          {"activations", keeps_float ? "float" : "auto"},
          {"invariant", policy.invariant},
          {"rules", std::move(rules)},
          {"text", PrintPolicy(policy)}};
}

Json WeightsJson(const Program& program) {
  Json weights = Json::array();
  for (const Weight& weight : program.weights) {
    weights.push_back({{"name", weight.name},
                       {"type", ToString(ValueType{TypeKind::kTensor, weight.type})},
                       {"bytes", weight.bytes},
                       {"layouts", weight.layouts}});
  }
  return weights;
}

Json StatesJson(const Program& program) {
  Json states = Json::array();
  for (const State& state : program.states) {
    states.push_back({{"id", state.id},
                      {"layer", state.layer},
                      {"kv_heads", state.kv_heads},
                      {"head_dim", state.head_dim},
                      {"type", Name(state.dtype)},
                      {"space", Name(state.home_space)}});
  }
  return states;
}

// Positions of nodes refer to each regime's own list.
Json GroupsJson(const std::vector<RegimeView>& regimes, const GroupedProgram& grouped) {
  ScopeIndex scopes(regimes);
  Json groups = Json::array(), layers = Json::array();
  for (const NodeGroup& group : grouped.groups) {
    Json nodes = Json::array(), place = Json::object();
    for (size_t r = 0; r < regimes.size(); ++r) {
      const NodeView* view = grouped.At(group, r);
      nodes.push_back(view == nullptr ? Json(-1) : Json(view - regimes[r].nodes.data()));
      if (view == nullptr) continue;
      for (const Rejected& other : view->placement().rejected) {
        if (!CouldMove(other)) continue;
        place[std::string(Name(other.target))] =
            StrCat("--place '", scopes.PlaceRule(group, other.target), "'");
      }
    }
    groups.push_back({{"scope", group.scope},
                      {"name", group.NameInLayer()},
                      {"op", group.op},
                      {"ordinal", group.ordinal},
                      {"layers", group.layers},
                      {"nodes", std::move(nodes)},
                      {"place", std::move(place)}});
  }
  for (const LayerGroup& group : grouped.layers) {
    layers.push_back({{"layers", group.layers}, {"groups", group.groups}});
  }
  return {{"groups", std::move(groups)}, {"layers", std::move(layers)}};
}

Json PassesJson(const Program& program) {
  Json passes = Json::array();
  for (const PassRecord& pass : program.passes) {
    passes.push_back({{"name", pass.name},
                      {"regime", pass.regime},
                      {"changed", pass.changed},
                      {"nodes_before", pass.nodes_before},
                      {"nodes_after", pass.nodes_after}});
  }
  return passes;
}

Json ModelJson(const ModelRef& model) {
  Json files = Json::array();
  for (const ModelRef::File& file : model.files) {
    files.push_back({{"name", file.name}, {"bytes", file.bytes}});
  }
  return {{"files", std::move(files)}, {"header_hash", model.header_hash}};
}

bool IsUsed(Target target, const std::vector<RegimeView>& regimes) {
  return std::ranges::any_of(regimes, [&](const RegimeView& regime) {
    return regime.totals.nodes_on[static_cast<size_t>(target)] > 0;
  });
}

Json TargetJson(const TargetRecord& record) {
  const TargetLook& look = LookOf(record.target);
  return {{"name", record.name},
          {"device", Name(record.device)},
          {"light", {look.stroke, look.fill}},
          {"dark", {look.dark_stroke, look.dark_fill}},
          {"dash", look.dash},
          {"border", look.border}};
}

// Returns one layer of each kind.
std::set<int64_t> FirstLayers(const GroupedProgram& grouped) {
  std::set<int64_t> layers;
  for (const LayerGroup& group : grouped.layers) layers.insert(group.layers[0]);
  return layers;
}

Json ProgramJson(const NamedProgram& named) {
  const Program& program = *named.program;
  std::vector<RegimeView> regimes = ViewRegimes(program);
  VizTables tables;
  std::optional<ChoiceTable> choices;
  if (!program.kernel_choices.empty()) tables.choices = &choices.emplace(program);
  Json symbols = Json::object(), targets = Json::array(), regimes_json = Json::array();
  for (Symbol symbol : kAllSymbols) {
    const Range& range = program.symbols[symbol];
    symbols[std::string(Name(symbol))] = {range.min, range.max};
  }
  for (const TargetRecord& record : kTargets) {
    if (!record.is_special || IsUsed(record.target, regimes)) {
      targets.push_back(TargetJson(record));
    }
  }
  for (const RegimeView& regime : regimes) {
    regimes_json.push_back(RegimeJson(program, regime, &tables));
  }
  GroupedProgram grouped = GroupProgram(regimes);
  bool calibrated = program.machine.origin == Machine::Origin::kCalibrated;
  Json json = {
      {"name", std::filesystem::path(named.name).filename().string()},
      {"model", ModelJson(program.model)},
      {"policy", PolicyJson(program.policy)},
      {"overrides", program.overrides},
      {"machine",
       {{"origin", calibrated ? "calibrated" : "generic"}, {"text", program.machine.text}}},
      {"symbols", std::move(symbols)},
      {"targets", std::move(targets)},
      {"nodes", tables.nodes.Take()},
      {"kinds", tables.kinds.Take()},
      {"records", tables.records.Take()},
      {"regimes", std::move(regimes_json)},
      {"fold", GroupsJson(regimes, grouped)},
      {"weights", WeightsJson(program)},
      {"states", StatesJson(program)},
      {"passes", PassesJson(program)}};
  if (choices) {
    json["choices"] = choices->Take();
    json["kernels"] = KernelCandidatesJson(program);
    json["kernel_choices"] = KernelChoicesJson(program);
    json["estimate_tokens"] = choices->estimate_tokens();
    if (const MachineDescription* machine = choices->machine()) {
      json["call_costs"] = CallCostsJson(*machine);
      json["value_bytes"] = tables.value_bytes.Take();
    }
  }
  if (named.memory != nullptr) json["memory"] = MemoryJson(program, *named.memory);
  if (named.profile != nullptr) json["profile"] = TimingJson(*named.profile, regimes);
  if (named.pass_log != nullptr) {
    json["pass_texts"] = PassTextsJson(*named.pass_log, FirstLayers(grouped));
  }
  return json;
}

}  // namespace

std::string VizJson(const std::vector<NamedProgram>& programs) {
  Json list = Json::array();
  for (const NamedProgram& program : programs) list.push_back(ProgramJson(program));
  Json json = {{"schema", "infer-viz"},
               {"schema_version", kVizSchemaVersion},
               {"programs", std::move(list)}};
  return JsonText(json) + "\n";
}

}  // namespace infer
