// SPDX-License-Identifier: Apache-2.0
#include "tools/api/estimated_call.h"

#include "absl/status/statusor.h"
#include "ir/policy/machine_text.h"

namespace infer {

CallEstimate EstimatedCall(const Program& program, const SymbolValues& at) {
  const absl::StatusOr<MachineDescription> machine = ParseMachine(program.machine.text, "machine");
  if (!machine.ok()) return {};
  for (const Regime& regime : program.regimes) {
    if (at.t < regime.min_tokens || at.t > regime.max_tokens) continue;
    return EstimateCall(regime.graph, *machine, at);
  }
  return {};
}

double EstimatedCallNs(const Program& program, const SymbolValues& at) {
  return EstimatedCall(program, at).ns();
}

}  // namespace infer
