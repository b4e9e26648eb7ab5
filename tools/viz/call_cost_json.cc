// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/call_cost_json.h"

#include <algorithm>
#include <map>
#include <utility>

#include "ir/base/json.h"
#include "passes/boundary_cost.h"
#include "tools/report/placement_json.h"

namespace infer {
bool HasValuesThatCross(const Program& program) {
  const auto is_elsewhere = [&](int32_t kernel) {
    return DeviceOf(program.kernels[static_cast<size_t>(kernel)].target) != Device::kCpu;
  };
  return std::ranges::any_of(program.kernel_choices, [&](const KernelChoice& choice) {
    return std::ranges::any_of(choice.kernels, is_elsewhere);
  });
}

Json CallCostsJson(const MachineDescription& machine) {
  Json wake = Json::object();
  for (Target target : kUserTargets) {
    const TargetCost* cost = machine.FindCost(target);
    if (cost != nullptr && cost->wake_ns > 0) wake[std::string(Name(target))] = cost->wake_ns;
  }
  // The page reports values that cross to a GPU; there is one.
  const TargetCost* device = machine.FindCost(GpuBeforeCpu()[0]);
  return {{"call_ns", machine.call_ns},
          {"wake_ns", std::move(wake)},
          {"boundary_ns", device == nullptr ? 0 : device->boundary_ns},
          {"copy_gb_s", device == nullptr ? 0 : device->copy_gb_s}};
}

Json ValuesJson(const RegimeView& regime, const MachineDescription& machine, JsonTable* bytes) {
  std::map<const Node*, int64_t> index_of;
  for (size_t i = 0; i < regime.nodes.size(); ++i) {
    index_of[regime.nodes[i].node] = static_cast<int64_t>(i);
  }
  int64_t last = 0;  // layers repeat differences, which compress well
  Json values = Json::array();
  const BoundaryCosts boundary_costs(regime.regime->graph, machine);
  for (const BoundaryCosts::Shared& shared : boundary_costs.shared()) {
    const auto found = index_of.find(shared.value.node);
    const int64_t home = found == index_of.end() ? -1 : found->second;
    Json value = {home - last, bytes->Add(CountJson(CountBytes(shared.value.type()))),
                  shared.is_result ? 1 : 0};
    last = home;
    for (const Node* reader : shared.readers) value.push_back(index_of.at(reader) - home);
    values.push_back(std::move(value));
  }
  return values;
}

}  // namespace infer
