// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/choice_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "ir/base/json.h"
#include "ir/policy/machine_text.h"
#include "passes/collect_kernel_choices.h"
#include "passes/estimate.h"
#include "passes/node_facts.h"
#include "tools/report/placement_json.h"

namespace infer {
namespace {

Json FactsJson(const NodeFacts& facts) {
  return {{"rows", CountJson(facts.rows)},   {"columns", CountJson(facts.columns)},
          {"inner", CountJson(facts.inner)}, {"elements", CountJson(facts.elements)},
          {"flops", CountJson(facts.flops)}, {"weight_bytes", CountJson(facts.weight_bytes)}};
}

}  // namespace

ChoiceTable::ChoiceTable(const Program& program) : program_(program) {
  absl::StatusOr<MachineDescription> machine =
      ParseMachine(program.machine.text, "the program's machine");
  if (machine.ok()) machine_ = *std::move(machine);
  const Range& tokens = program.symbols[Symbol::kT];
  for (int64_t t = 1; t < tokens.max; t *= 2) {
    if (t >= tokens.min) estimate_tokens_.push_back(t);
  }
  estimate_tokens_.push_back(tokens.max);
}

size_t ChoiceTable::Add(const Node& node, int32_t kernel_choice, const SymbolicCount& call_bytes) {
  auto [it, is_new] = estimates_.try_emplace(KindText(node));
  if (is_new) it->second = EstimatesJson(node, call_bytes);
  NodeFacts facts = FactsOf(node);
  Json rules = Json::array();
  for (size_t i = 0; i < program_.policy.rules.size(); ++i) {
    Rule rule = program_.policy.rules[i];
    rule.layer = {};  // a threshold like the others; the node gives its layer
    if (NamesMatch(rule, facts)) rules.push_back(i);
  }
  return table_.Add({{"rules", std::move(rules)},
                     {"facts", FactsJson(facts)},
                     {"kernel_choice", kernel_choice},
                     {"estimates", it->second}});
}

Json ChoiceTable::EstimatesJson(const Node& node, const SymbolicCount& call_bytes) const {
  Json estimates = Json::object();
  if (!machine_) return estimates;
  const int64_t most_rows = program_.symbols[Symbol::kR].max;
  const int64_t context = program_.symbols[Symbol::kS].max;
  for (Target target : kUserTargets) {
    if (machine_->FindCost(target) == nullptr) continue;
    Json at_empty = Json::array(), at_full = Json::array();
    for (int64_t t : estimate_tokens_) {
      auto ns = [&](int64_t s) {
        SymbolValues at = {t, std::min(most_rows, t), std::max(t, s)};
        return std::llround(EstimateNode(node, target, call_bytes, *machine_, at).ns());
      };
      at_empty.push_back(ns(t));
      at_full.push_back(ns(context));
    }
    // One row if the context does not matter.
    Json rows = Json::array();
    bool same = at_empty == at_full;
    rows.push_back(std::move(at_empty));
    if (!same) rows.push_back(std::move(at_full));
    estimates[std::string(Name(target))] = std::move(rows);
  }
  return estimates;
}

Json KernelCandidatesJson(const Program& program) {
  Json kernels = Json::array();
  for (const KernelCandidate& kernel : program.kernels) {
    bool unlimited = kernel.max_rows == std::numeric_limits<int64_t>::max();
    Json most = unlimited ? Json(nullptr) : Json(kernel.max_rows);
    kernels.push_back({{"name", kernel.name},
                       {"op", kernel.op},
                       {"target", Name(kernel.target)},
                       {"rows", {kernel.min_rows, std::move(most)}}});
  }
  return kernels;
}

Json KernelChoicesJson(const Program& program) {
  Json kernel_choices = Json::array();
  for (const KernelChoice& kernel_choice : program.kernel_choices) {
    bool symbolic = kernel_choice.rows.is_symbol();
    Json json = {
        {"rows", symbolic ? Json(ToString(kernel_choice.rows)) : Json(kernel_choice.rows.value())},
        {"kernels", kernel_choice.kernels}};
    if (!kernel_choice.parts.empty()) json["parts"] = kernel_choice.parts;
    kernel_choices.push_back(std::move(json));
  }
  return kernel_choices;
}

}  // namespace infer
