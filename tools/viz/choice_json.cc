// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/choice_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "ir/strings.h"
#include "passes/choose_target.h"
#include "passes/estimate.h"
#include "passes/node_facts.h"
#include "tools/explain/support.h"
#include "tools/viz/record_json.h"

namespace infer {
namespace {

using Json = nlohmann::ordered_json;

Json FactsJson(const NodeFacts& facts) {
  return {{"rows", CountJson(facts.rows)},   {"columns", CountJson(facts.columns)},
          {"inner", CountJson(facts.inner)}, {"elements", CountJson(facts.elements)},
          {"flops", CountJson(facts.flops)}, {"weight_bytes", CountJson(facts.weight_bytes)}};
}

// Everything that kernels and estimates can tell two nodes apart by.
std::string KindText(const Node& node) {
  std::string kind(node.op().name);
  for (const Value& input : node.inputs()) {
    StrAppend(&kind, " ", ToString(input.type()), input.node->op().traits.weight ? "w" : "");
  }
  for (const Attr& attr : node.attrs()) StrAppend(&kind, " ", ToString(attr));
  for (const ValueType& type : node.ResultTypes()) StrAppend(&kind, ":", ToString(type));
  return kind;
}

}  // namespace

ChoiceTable::ChoiceTable(const Program& program, const KernelCatalog& catalog)
    : program_(program), catalog_(catalog.For(program.policy.activations)) {
  absl::StatusOr<MachineDescription> machine =
      ParseMachine(program.machine.text, "the program's machine");
  if (machine.ok()) machine_ = *std::move(machine);
  const Range& tokens = program.symbols[Symbol::kT];
  for (int64_t t = 1; t < tokens.max; t *= 2) {
    if (t >= tokens.min) estimate_tokens_.push_back(t);
  }
  estimate_tokens_.push_back(tokens.max);
}

size_t ChoiceTable::Add(const Node& node, const SymbolicCount& call_bytes) {
  auto [it, is_new] = by_kind_.try_emplace(KindText(node));
  if (is_new) {
    it->second = {{"support", SupportJson(node)}, {"estimates", EstimatesJson(node, call_bytes)}};
  }
  NodeFacts facts = FactsOf(node);
  Json rules = Json::array();
  for (size_t i = 0; i < program_.policy.rules.size(); ++i) {
    Rule rule = program_.policy.rules[i];
    rule.layer = {};  // a threshold like the others; the node says its layer
    if (NamesMatch(rule, facts)) rules.push_back(i);
  }
  Json json = {{"rules", std::move(rules)}, {"facts", FactsJson(facts)}};
  json.update(it->second);
  return table_.Add(std::move(json));
}

Json ChoiceTable::SupportJson(const Node& node) const {
  Json support = Json::object();
  for (Target target : kAllTargets) {
    Json& json = support[std::string(Name(target))];
    json = Json::object();
    KernelAnswer answer = catalog_.Find(node, target, program_.symbols);
    Json kernels = Json::array();
    if (catalog_.WhyUnavailable(target).empty()) {
      for (const RowLimits& limits : catalog_.LimitsOf(node, target)) {
        bool unlimited = limits.max_rows == std::numeric_limits<int64_t>::max();
        kernels.push_back(
            {limits.kernel, limits.min_rows, unlimited ? Json(nullptr) : Json(limits.max_rows)});
      }
      if (kernels.empty() && answer.kernel) kernels.push_back({answer.kernel->name, 1, nullptr});
    }
    if (!kernels.empty()) {
      json["kernels"] = std::move(kernels);
      continue;
    }
    SupportCell cell = SupportOf(node, target, program_.symbols, catalog_);
    if (cell.how == SupportCell::How::kInParts) json["in_parts"] = cell.kernels;
    json["why"] = answer.reason;
  }
  return support;
}

Json ChoiceTable::EstimatesJson(const Node& node, const SymbolicCount& call_bytes) const {
  Json estimates = Json::object();
  if (!machine_) return estimates;
  const int64_t most_rows = program_.symbols[Symbol::kR].max;
  const int64_t context = program_.symbols[Symbol::kS].max;
  for (Target target : kAllTargets) {
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
    // One row where the context does not matter.
    Json rows = Json::array();
    bool same = at_empty == at_full;
    rows.push_back(std::move(at_empty));
    if (!same) rows.push_back(std::move(at_full));
    estimates[std::string(Name(target))] = std::move(rows);
  }
  return estimates;
}

}  // namespace infer
