// SPDX-License-Identifier: Apache-2.0
//
// Runs calls of many tokens as two halves that take turns, where that saves time: while the
// messages of one travel between ranks, the other computes.
//
//   plan { segments [...] }
// =>
//   plan { segments [...] halves { min_tokens 96, reason "..." } }
//
// A half multiplies fewer rows with the same weights, so this pays from a number of tokens on, and
// only with a network that takes its time. The bits stay the same: every kernel must give a row the
// same bits for any number of rows of the regime, or for any number that a half has of its
// sequence.
#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "ir/graph/halves.h"
#include "ir/graph/plan.h"
#include "passes/estimate.h"
#include "passes/estimate_halves.h"
#include "passes/passes.h"

namespace infer {
namespace {

const Node* FirstCollective(const Graph& graph) {
  for (const Node* node : graph.nodes()) {
    if (node->op().traits.collective) return node;
  }
  return nullptr;
}

// A prompt of this many tokens at the beginning of its text.
SymbolValues PromptOf(const Graph& graph, int64_t tokens) {
  SymbolValues at = graph.symbols().Lowest();
  at.t = at.s = tokens;
  return at;
}

struct Times {
  double whole_ns = 0;
  double halves_ns = 0;
  bool pays() const { return halves_ns < whole_ns; }
};

class HalveCalls final : public Pass {
 public:
  std::string_view name() const override { return "halve-calls"; }
  Stage needs() const override { return Stage::kPlanned; }

  absl::StatusOr<bool> Run(Graph& graph, PassContext& context) const override {
    const Node* collective = FirstCollective(graph);
    if (collective == nullptr || context.machine == nullptr || graph.plan()->halves) return false;
    if (const std::string why = WhyNotInHalves(graph); !why.empty()) {
      context.Explain(*collective, StrCat("calls are not halved: ", why));
      return false;
    }
    const MachineDescription& machine = *context.machine;
    const auto times = [&](int64_t tokens) -> Times {
      const SymbolValues at = PromptOf(graph, tokens);
      return {EstimateWholeCall(graph, machine, at).ns(), EstimateHalves(graph, machine, at).ns()};
    };
    const Range tokens = graph.symbols()[Symbol::kT];
    const Times most = times(tokens.max);
    if (!most.pays()) {
      context.Explain(
          *collective,
          absl::StrFormat(
              "calls are not halved: %d tokens take %.3g ms as a whole and %.3g ms as two halves",
              tokens.max, most.whole_ns / 1e6, most.halves_ns / 1e6));
      return false;
    }
    // The more tokens, the more it pays.
    int64_t least = 2 * std::max(tokens.min, FewestTokensOfPart(graph)), pays = tokens.max;
    while (least < pays) {
      const int64_t middle = least + (pays - least) / 2;
      if (times(middle).pays()) {
        pays = middle;
      } else {
        least = middle + 1;
      }
    }
    Plan plan = *graph.plan();
    plan.halves = {
        pays,
        absl::StrFormat(
            "%d tokens take %.3g ms as two halves, of which one computes while the messages of the "
            "other travel, and %.3g ms as a whole",
            tokens.max, most.halves_ns / 1e6, most.whole_ns / 1e6)};
    graph.set_plan(std::move(plan));
    return true;
  }
};

}  // namespace

std::unique_ptr<Pass> MakeHalveCalls() { return std::make_unique<HalveCalls>(); }

}  // namespace infer
