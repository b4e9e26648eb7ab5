// SPDX-License-Identifier: Apache-2.0

#include "ir/base/json.h"
#include "tools/compile/summary.h"
#include "tools/report/machine_text.h"
#include "tools/report/regime_table.h"

namespace infer {
namespace {

Json MemoryJson(const MemoryEstimate& memory) {
  return {{"weights_bytes", memory.weights},     {"kv_bytes", memory.kv},
          {"arena_bytes", memory.arena},         {"scratch_bytes", memory.scratch},
          {"tokenizer_bytes", memory.tokenizer}, {"other_bytes", memory.other},
          {"total_bytes", memory.total()},       {"threads", memory.threads}};
}

}  // namespace

std::string SummaryJson(const Program& program, const MemoryEstimate& memory,
                        const CompileReport& report) {
  Json symbols = Json::object(), regimes = Json::array();
  for (Symbol symbol : kAllSymbols) {
    const Range& range = program.symbols[symbol];
    symbols[std::string(Name(symbol))] = {range.min, range.max};
  }
  for (const RegimeView& regime : ViewRegimes(program)) regimes.push_back(TotalsJson(regime));
  Json invariant_costs = Json::array();
  for (const InvariantCost& cost : report.invariant_costs) {
    invariant_costs.push_back({{"tokens", cost.tokens}, {"ratio", cost.ratio}});
  }
  Json ranks = Json::array();
  for (const RankCost& cost : report.rank_costs) {
    ranks.push_back({{"tokens", cost.tokens},
                     {"collectives", cost.collectives},
                     {"received_bytes", cost.received_bytes},
                     {"alone_ms", cost.alone_ms},
                     {"ms", cost.ms},
                     {"collectives_ms", cost.collectives_ms}});
  }
  bool calibrated = program.machine.origin == Machine::Origin::kCalibrated;
  Json json = {{"schema_version", 1},
               {"model", ModelText(program.model)},
               {"policy", program.policy.name},
               {"overrides", program.overrides},
               {"invariant", program.policy.invariant},
               {"invariant_costs", std::move(invariant_costs)},
               {"ranks", program.policy.shard.ranks},
               {"rank_costs", std::move(ranks)},
               {"machine", calibrated ? "calibrated" : "generic"},
               {"machine_text", MachineText(program.machine)},
               {"machine_threads", MachineThreads(program.machine)},
               {"threads_from", report.threads_from},
               {"symbols", std::move(symbols)},
               {"nodes_per_layer", report.layer_nodes_fused},
               {"nodes_per_layer_imported", report.layer_nodes_imported},
               {"compile_ms", report.compile_ms},
               {"regimes", std::move(regimes)},
               {"memory", MemoryJson(memory)}};
  return JsonText(json, 2) + "\n";
}

}  // namespace infer
