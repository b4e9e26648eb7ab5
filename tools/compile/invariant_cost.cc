// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/invariant_cost.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/api/estimated_call.h"
#include "tools/compile/without_reports.h"

namespace infer {

std::vector<InvariantCost> InvariantCosts(const Program& program, const ModelFile& model,
                                          const KernelCatalog& catalog,
                                          CompileModelOptions options) {
  std::vector<InvariantCost> costs;
  if (!program.policy.invariant) return costs;
  options.invariant = false;
  const absl::StatusOr<Program> other = CompileModel(model, catalog, WithoutReports(options));
  if (!other.ok()) return costs;
  for (const int64_t tokens : {int64_t{1}, program.symbols[Symbol::kT].max}) {
    const SymbolValues at = {
        .t = tokens, .r = std::min(tokens, program.symbols[Symbol::kR].max), .s = tokens};
    const double with = EstimatedCallNs(program, at), without = EstimatedCallNs(*other, at);
    if (with > 0 && without > 0) costs.push_back({tokens, with / without});
  }
  return costs;
}

std::string ToText(const std::vector<InvariantCost>& costs) {
  if (costs.empty()) return "";
  std::string text = "invariant  ";
  for (const InvariantCost& cost : costs) {
    StrAppend(&text, &cost == &costs.front() ? "" : ", ",
              absl::StrFormat("%d %s: %+.1f %%", cost.tokens, cost.tokens == 1 ? "token" : "tokens",
                              100 * (cost.ratio - 1)));
  }
  return text + " time by the estimates\n";
}

}  // namespace infer
