// SPDX-License-Identifier: Apache-2.0
//
// Any text is refused as a policy, or read; what was read prints to a text that reads back to the
// same policy. A text that begins with '-' is what follows --place, or else -ot, instead. One in 64
// is then taken to a two-layer model, which takes 50 times as long: regimes are cut, nodes placed
// and rules checked, and no regime may turn out to be cut wrongly.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "frontends/gguf/weights.h"
#include "frontends/qwen3/lower.h"
#include "ir/base/strings.h"
#include "ir/policy/compat_rules.h"
#include "ir/policy/place_rule.h"
#include "ir/policy/policy_text.h"
#include "passes/check_policy.h"
#include "passes/cut_regimes.h"
#include "passes/passes.h"
#include "passes/pipeline.h"
#include "tests/frontends/qwen3/toy_model.h"
#include "tests/fuzz/one_in.h"
#include "tests/support/fake_catalog.h"

namespace {

using infer::Graph;
using infer::Policy;
using infer::Rule;
using infer::Target;

infer::SymbolRanges Symbols() {
  return {{infer::Range{1, 64}, infer::Range{1, 2}, infer::Range{1, 128}}};
}

// Bound and fused, as the regimes are cut from it.
Graph ToyGraph() {
  infer::test::ToyShape shape;
  shape.layers = 2;
  infer::test::OpenedImage image(infer::test::ToyModel(shape));
  infer::GgufWeights weights(image.file);
  Graph graph = infer::LowerQwen3(infer::ReadQwen3Config(*image.file).value(), weights, {}).value();
  infer::PassContext context;
  context.symbols = Symbols();
  for (const auto& pass : infer::GraphPasses()) {
    if (!pass->Run(graph, context).ok()) std::abort();
    graph.set_stage(pass->gives());
  }
  return graph;
}

// Metal is not there, simd takes a few rows only, and something is missing everywhere but on
// scalar.
infer::test::FakeCatalog Catalog() {
  infer::test::FakeCatalog catalog;
  for (std::string_view op : {"linear", "multi_linear", "attention", "swiglu"}) {
    catalog.Add(op, Target::kSimd).Add(op, Target::kParallel);
  }
  catalog.Add("attention", Target::kScalar).Add("rms_norm", Target::kScalar);
  catalog.LimitRows("swiglu", Target::kSimd, {2, 40});
  catalog.SetUnavailable(Target::kMetal, "this machine has no metal device");
  return catalog;
}

// Whether a pass says that a regime is no regime, or that it contradicts itself.
bool IsOurFault(const absl::Status& status) {
  return absl::IsInternal(status) ||
         infer::ToStd(status.message()).find("cut the range of T there") != std::string_view::npos;
}

void Place(const Policy& policy) {
  static const Graph graph = ToyGraph();
  static const infer::test::FakeCatalog catalog = Catalog();
  absl::StatusOr<std::vector<infer::Range>> ranges = infer::CutRegimes(graph, policy, catalog);
  if (!ranges.ok() && IsOurFault(ranges.status())) std::abort();
  if (!ranges.ok()) return;
  std::vector<infer::Regime> regimes;
  infer::PassContext context{Symbols(), &policy, &catalog};
  for (const infer::Range& tokens : *ranges) {
    Graph copy = graph.Clone();
    copy.set_symbols(infer::RegimeSymbols(graph.symbols(), tokens));
    for (const auto& pass : {infer::MakeLegalize(), infer::MakePlaceNodes()}) {
      absl::StatusOr<bool> changed = pass->Run(copy, context);
      if (!changed.ok() && IsOurFault(changed.status())) std::abort();
      if (!changed.ok()) return;
    }
    regimes.push_back({tokens.min, tokens.max, std::move(copy)});
  }
  for (const infer::PolicyFinding& finding : infer::CheckPolicy(graph, regimes, policy)) {
    if (finding.text.empty()) std::abort();
  }
}

constexpr size_t kPlacedOneIn = 64;

void ReadOverrides(std::string_view text) {
  Policy policy;
  policy.name = "rest";
  if (absl::StatusOr<Rule> rule = infer::ParsePlaceRule(text); rule.ok()) {
    policy.rules.push_back(*std::move(rule));
  } else if (auto rules = infer::ParseTensorOverrides(text); rules.ok()) {
    policy.rules = *std::move(rules);
  } else {
    return;
  }
  Rule& rest = policy.rules.emplace_back();
  rest.name = "rest";
  rest.targets = {Target::kScalar};
  if (infer::IsOneIn(kPlacedOneIn, text)) Place(policy);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t num_bytes) {
  std::string_view text(reinterpret_cast<const char*>(data), num_bytes);
  if (text.starts_with('-')) {
    ReadOverrides(text.substr(1));
    return 0;
  }
  absl::StatusOr<Policy> policy = infer::ParsePolicy(text, "p");
  if (!policy.ok()) return 0;
  absl::StatusOr<Policy> again = infer::ParsePolicy(infer::PrintPolicy(*policy), "again");
  if (!again.ok() || !(*again == *policy)) std::abort();
  if (infer::IsOneIn(kPlacedOneIn, text)) Place(*policy);
  return 0;
}
