// SPDX-License-Identifier: Apache-2.0
#include "tools/api/estimated_call.h"

#include "absl/status/statusor.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"

namespace infer {

double EstimatedCallNs(const Program& program, const SymbolValues& at) {
  const absl::StatusOr<MachineDescription> machine = ParseMachine(program.machine.text, "machine");
  if (!machine.ok()) return 0;
  for (const Regime& regime : program.regimes) {
    if (at.t < regime.min_tokens || at.t > regime.max_tokens) continue;
    return EstimateCall(regime.graph, *machine, at).ns();
  }
  return 0;
}

}  // namespace infer
