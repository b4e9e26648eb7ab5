// SPDX-License-Identifier: Apache-2.0
#include "ir/policy/compat_rules.h"

#include <algorithm>
#include <string>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/policy/place_rule.h"

namespace infer {
namespace {

// llama.cpp calls its devices CPU, CUDA0 and, depending on the version, Metal or MTL0.
std::string TargetName(std::string_view device) {
  std::string lower(device);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "cpu") return "parallel";
  if (lower == "cuda0") return "cuda";
  return lower == "gpu" || lower == "mtl0" ? "metal" : lower;
}

// Parses one RE=TARGET.
absl::StatusOr<Rule> ParseTensorOverride(std::string_view part) {
  const size_t equals = part.rfind('=');
  if (equals == std::string_view::npos || equals == 0) {
    return absl::InvalidArgumentError(StrCat("override '", part, "': expected RE=TARGET"));
  }
  const std::string target = TargetName(part.substr(equals + 1));
  absl::StatusOr<Rule> rule = ParsePlaceRule(StrCat("name~", part.substr(0, equals), "=", target));
  if (!rule.ok()) {
    return absl::InvalidArgumentError(StrCat(
        "override '", part, "', which means ", ToStd(rule.status().message()),
        FindTarget(target) ? ""
                           : "; CPU stands for parallel, GPU and MTL0 for metal, CUDA0 for cuda"));
  }
  rule->name = StrCat(kTensorPrefix, part);
  return rule;
}

}  // namespace

absl::StatusOr<std::vector<Rule>> ParseTensorOverrides(std::string_view text) {
  std::vector<Rule> rules;
  for (std::string_view part : SplitOutsideBrackets(text, ',')) {
    ASSIGN_OR_RETURN(Rule rule, ParseTensorOverride(part));
    rules.push_back(std::move(rule));
  }
  return rules;
}

std::vector<Rule> LastLayersOnGpu(int64_t count, int64_t layers) {
  if (count <= 0) return {};
  Rule last;
  last.name = StrCat(kGpuLayersPrefix, count);
  last.is_override = true;
  last.layer.min = std::max<int64_t>(0, layers - count);
  last.targets = GpuBeforeCpu();
  Rule output = last;
  output.name = StrCat(kGpuLayersPrefix, count, " (output)");
  output.layer = {};
  output.scope = "output/*";
  return {last, output};
}

std::vector<Rule> ExpertsOnCpu(int64_t count) {
  if (count <= 0) return {};
  Rule rule = AllExpertsOnCpu();
  rule.name = StrCat(kCpuMoePrefix, count);
  rule.layer.max = count - 1;
  return {rule};
}

Rule AllExpertsOnCpu() {
  Rule rule;
  rule.name = kCpuMoe;
  rule.is_override = true;
  rule.node = "*_exps.weight";  // as files name the weights of experts
  rule.targets = {Target::kParallel, Target::kSimd, Target::kScalar};
  return rule;
}

}  // namespace infer
