// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/call_cost_json.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/base/json.h"
#include "ir/policy/machine_text.h"
#include "passes/boundary_cost.h"
#include "tests/model/loaded_model.h"
#include "tests/support/sample_program.h"
#include "tools/viz/viz_json.h"

namespace infer {
namespace {

MachineDescription Machine() {
  absl::StatusOr<MachineDescription> machine = ParseMachine(
      "name: \"m\" threads: 2 call_ns: 7 target { target: SIMD step_ns: 1 } "
      "target { target: PARALLEL step_ns: 1 wake_ns: 30 } "
      "target { target: METAL step_ns: 1 wake_ns: 500 boundary_ns: 11 copy_gb_s: 4 }",
      "m");
  EXPECT_TRUE(machine.ok()) << machine.status();
  return *machine;
}

TEST(CallCosts, AreThoseOfTheMachine) {
  EXPECT_EQ(CallCostsJson(Machine()),
            Json::parse(R"({"call_ns": 7.0, "wake_ns": {"parallel": 30.0, "metal": 500.0},
                            "boundary_ns": 11.0, "copy_gb_s": 4.0})"));
}

// The table says all that passes/boundary_cost.h needs to know: added up, it gives the same.
TEST(CallCosts, ValuesAddUpToWhatTheCompilerCharges) {
  const Program program = test::SampleProgramOnTwoDevices(/*shares_memory=*/false);
  const MachineDescription machine = Machine();
  for (const RegimeView& regime : ViewRegimes(program)) {
    JsonTable table;
    const Json values = ValuesJson(regime, machine, &table);
    const Json bytes = table.Take();
    const SymbolValues at = {3, 2, 5};
    auto device_of = [&](int64_t node) {
      if (node == -1) return Device::kCpu;
      return DeviceOf(regime.nodes[static_cast<size_t>(node)].placement().target);
    };
    double ns = 0;
    int64_t home = 0;
    for (const Json& value : values) {
      std::set<Device> read_on;
      home += value[0].get<int64_t>();
      if (value[2] == 1) read_on.insert(Device::kCpu);
      for (size_t i = 3; i < value.size(); ++i)
        read_on.insert(device_of(home + value[i].get<int64_t>()));
      read_on.erase(device_of(home));
      const Json& count = bytes[value[1].get<size_t>()];
      const double size = count.value("1", 0.0) + 3 * count.value("T", 0.0) +
                          2 * count.value("R", 0.0) + 5 * count.value("S", 0.0);
      ns += static_cast<double>(read_on.size()) * (11 + size / 4);
    }
    EXPECT_GT(ns, 0);
    EXPECT_DOUBLE_EQ(ns, BoundaryCosts(regime.regime->graph, machine).Crossings(at));
  }
}

TEST(CallCosts, AreInTheDocumentOfAProgramWithKernelChoices) {
  const test::LoadedModel model("");
  const Program program = model.Compile({});
  const Json json = Json::parse(VizJson({{"p.pb", &program}}))["programs"][0];
  EXPECT_GT(json["call_costs"]["call_ns"], 0);
  // No kernel of another device was offered, so that nothing can cross.
  EXPECT_EQ(json["value_bytes"].size(), 0u);
  for (const Json& regime : json["regimes"]) EXPECT_FALSE(regime.contains("values"));
}

}  // namespace
}  // namespace infer
