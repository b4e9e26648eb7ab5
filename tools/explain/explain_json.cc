// SPDX-License-Identifier: Apache-2.0

#include "ir/base/json.h"
#include "tools/explain/explain.h"
#include "tools/report/machine_text.h"
#include "tools/report/placement_json.h"
#include "tools/report/shard_text.h"

namespace infer {
namespace {

Json OthersJson(const ExplainedSpan& span) {
  Json others = Json::array();
  for (const OtherTarget& other : span.others) {
    Json json = {{"target", Name(other.target)}, {"code", Name(other.code)}, {"why", other.why}};
    json["can_run"] = !other.flag.empty();
    if (!other.kernels.empty()) json["kernels"] = other.kernels;
    if (other.in_parts) json["in_parts"] = true;
    if (!other.no_kernel.empty()) json["no_kernel"] = other.no_kernel;
    if (!other.flag.empty()) json["place"] = other.flag;
    if (!other.before.empty()) json["place_before"] = other.before;
    others.push_back(std::move(json));
  }
  return others;
}

Json ResultsJson(const Node& node) {
  Json results = Json::array();
  for (const ValueType& type : node.ResultTypes()) results.push_back(ToString(type));
  return results;
}

Json SpanJson(const ExplainedSpan& span) {
  const Placement& placement = span.first->placement();
  Json passed = Json::array();
  for (const PassedOver& rule : span.passed_over) {
    passed.push_back({{"rule", rule.rule}, {"terms", TermsJson(rule.terms)}});
  }
  return {{"tokens", {span.tokens.min, span.tokens.max}},
          {"target", Name(placement.target)},
          {"kernel", placement.kernel},
          {"rule", placement.rule},
          {"source", Name(placement.source)},
          {"because", span.because},
          {"terms", TermsJson(span.terms)},
          {"passed_over", std::move(passed)},
          {"others", OthersJson(span)},
          {"flops", {span.flops_min, span.flops_max}},
          {"bytes", {span.bytes_min, span.bytes_max}},
          {"estimate_ns", EstimateJson(span.estimate_ns_min, span.estimate_ns_max)}};
}

}  // namespace

std::string ToJson(const Explanation& explanation) {
  Json nodes = Json::array();
  for (const ExplainedNode& explained : explanation.nodes) {
    const Node& node = *explained.spans[0].first->node;
    Json spans = Json::array();
    for (const ExplainedSpan& span : explained.spans) {
      spans.push_back(SpanJson(span));
      // A pass of the regime may have changed both.
      const Node& in_span = *span.first->node;
      const std::string shard = ShardText(in_span);
      if (shard != ShardText(node)) spans.back()["shard"] = shard;
      if (in_span.ResultTypes() != node.ResultTypes())
        spans.back()["results"] = ResultsJson(in_span);
    }
    nodes.push_back({{"name", explained.group->FullName()},
                     {"scope", explained.group->FullScope()},
                     {"layers", explained.group->layers},
                     {"op", explained.group->op},
                     {"ordinal", explained.group->ordinal},
                     {"id", IdText(explained.spans[0].first->id)},
                     {"results", ResultsJson(node)},
                     {"weight_types", WeightTypesText(node)},
                     {"decisions", std::move(spans)}});
    if (std::string shard = ShardText(node); !shard.empty()) nodes.back()["shard"] = shard;
  }
  const Program& program = *explanation.program;
  Json calls = Json::array();
  for (const RegimeView& regime : explanation.regimes) {
    calls.push_back({{"tokens", {regime.tokens().min, regime.tokens().max}},
                     {"estimate_ns",
                      EstimateJson(regime.totals.estimate_ns_min, regime.totals.estimate_ns_max)}});
  }
  Json json = {{"schema_version", 1},
               {"model", ModelText(program.model)},
               {"policy", program.policy.name},
               {"overrides", program.overrides},
               {"machine_text", MachineText(program.machine)},
               {"calls", std::move(calls)},
               {"nodes", std::move(nodes)}};
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
