// SPDX-License-Identifier: Apache-2.0
#include "ir/verify/verify_decisions.h"

#include <cmath>
#include <set>
#include <string_view>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "ir/graph/attr.h"
#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"
#include "ir/verify/verifier.h"

namespace infer {
namespace {

absl::Status DecisionError(std::string_view what) {
  return absl::InvalidArgumentError(ToAbsl(what));
}

bool IsCount(double number) { return std::isfinite(number) && number >= 0; }

// Limit for the operations or bytes of a node in one call. No machine does as much in a call,
// reports may round it to 64 bits, and sums over a million nodes stay finite.
constexpr double kMostWork = 1e18;

absl::Status VerifyCount(const Node& node, const SymbolRanges& symbols, std::string_view field,
                         const SymbolicCount& count) {
  for (auto [factor, number] : {std::pair{"c0", count.c0},
                                {"ct", count.ct},
                                {"cr", count.cr},
                                {"cs", count.cs},
                                {"cts", count.cts},
                                {"ctsn", count.ctsn}}) {
    if (IsCount(number)) continue;
    return DecisionError(StrCat(DescribeNode(node), ": ", factor, " of its placement's ", field,
                                " is ", number, ", expected a finite number of at least 0"));
  }
  const double most = count.At(symbols.Highest());
  if (most <= kMostWork) return absl::OkStatus();
  return DecisionError(StrCat(DescribeNode(node), ": its placement's ", field, " is ", most,
                              " for the largest call, expected at most ", kMostWork));
}

absl::Status VerifyTerm(const Node& node, const Term& term) {
  auto error = [&](std::string_view field, double number, std::string_view expected) {
    return DecisionError(StrCat(DescribeNode(node), ": ", field,
                                " of its placement's predicate about ", Quote(term.field), " is ",
                                number, ", expected ", expected));
  };
  if (!std::isfinite(term.threshold)) return error("threshold", term.threshold, "a finite number");
  if (!IsCount(term.lo)) return error("lo", term.lo, "a finite number of at least 0");
  if (!IsCount(term.hi)) return error("hi", term.hi, "a finite number of at least 0");
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyPolicy(const Policy& policy) {
  RETURN_IF_ERROR(CheckTexts(policy));
  std::set<std::string_view> names;
  for (const Rule& rule : policy.rules) {
    if (rule.name.empty() || !names.insert(rule.name).second) {
      return DecisionError(
          StrCat("the policy's rule ", Quote(rule.name), " must have a unique, non-empty name"));
    }
    if (absl::Status status = CheckRule(rule); !status.ok()) {
      return DecisionError(
          StrCat("the policy's rule ", Quote(rule.name), " ", ToStd(status.message())));
    }
  }
  return absl::OkStatus();
}

absl::Status VerifyMachine(const Machine& machine) {
  const bool calibrated = machine.origin == Machine::Origin::kCalibrated;
  if (machine.text.empty()) {
    if (!calibrated) return absl::OkStatus();
    return DecisionError("the Program says its machine description is calibrated but has none");
  }
  ASSIGN_OR_RETURN(MachineDescription read, ParseMachine(machine.text, "the machine description"));
  if (read.calibrated == calibrated) return absl::OkStatus();
  return DecisionError(StrCat("the machine description is ",
                              read.calibrated ? "calibrated" : "generic",
                              ", the Program says it is ", calibrated ? "calibrated" : "generic"));
}

absl::Status VerifyPlacementNumbers(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (!node->placement()) continue;
    const Placement& placement = *node->placement();
    RETURN_IF_ERROR(VerifyCount(*node, graph.symbols(), "cost.flops", placement.cost.flops));
    RETURN_IF_ERROR(VerifyCount(*node, graph.symbols(), "cost.bytes", placement.cost.bytes));
    for (const Term& term : placement.terms) RETURN_IF_ERROR(VerifyTerm(*node, term));
    for (auto [field, ns] : {std::pair{"estimate_ns_min", placement.estimate_ns_min},
                             {"estimate_ns_max", placement.estimate_ns_max}}) {
      if (IsCount(ns) && ns <= kMostEstimateNs) continue;
      return DecisionError(StrCat(DescribeNode(*node), ": its placement's ", field, " is ", ns,
                                  ", expected a number from 0 to ", kMostEstimateNs));
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
