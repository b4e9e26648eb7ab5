// SPDX-License-Identifier: Apache-2.0
#include "tools/compile/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ir/policy/machine.h"
#include "ir/policy/machine_text.h"
#include "passes/estimate.h"
#include "tests/support/sample_program.h"
#include "tools/report/regime_table.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

TEST(Summary, HasALineForEachRegime) {
  Program program = test::SampleProgram();
  std::string text = SummaryText(program, {}, {});
  EXPECT_THAT(text, HasSubstr("cuts  serial  barriers"));
  EXPECT_THAT(text, HasSubstr("\n  1..4   scalar "));
  EXPECT_THAT(text, HasSubstr("\n  5..16  scalar "));
}

TEST(Summary, NamesTheMachineAndItsThreads) {
  Program program = test::SampleProgram();
  EXPECT_THAT(SummaryText(program, {}, {}),
              HasSubstr("\nmachine  sample, made up for 1 thread: estimates are rough; "));
  program.machine.text += "origin: CALIBRATED";
  EXPECT_THAT(SummaryText(program, {}, {}),
              HasSubstr("\nmachine  sample, as measured with 1 thread; estimates hold for that "));
  EXPECT_THAT(SummaryJson(program, {}, {}), HasSubstr("\"machine_text\": \"sample, as measured"));
}

TEST(Summary, SaysForWhichThreadsMemoryAndEstimatesAre) {
  Program program = test::SampleProgram();  // for a machine of one thread
  MemoryEstimate memory;
  CompileReport report;
  report.threads_from = "1 = min(affinity 1)";
  EXPECT_THAT(SummaryText(program, memory, report),
              HasSubstr("\nthreads  1 = min(affinity 1); memory and estimates are for 1\n"));
  memory.threads = 2;
  report.threads_from = "2 = min(affinity 2)";
  EXPECT_THAT(SummaryText(program, memory, report),
              HasSubstr("\nthreads  2 = min(affinity 2); memory is for 2, estimates for the "
                        "machine's 1\n"));
  const nlohmann::json json = nlohmann::json::parse(SummaryJson(program, memory, report));
  EXPECT_EQ(json["memory"]["threads"], 2);
  EXPECT_EQ(json["machine_threads"], 1);
  EXPECT_EQ(json["threads_from"], "2 = min(affinity 2)");
  program.machine = {};
  EXPECT_THAT(SummaryText(program, memory, report),
              HasSubstr("\nthreads  2 = min(affinity 2)\nsymbols"));
}

// Not sums of what the nodes' records say.
TEST(Summary, EstimatesAreOfACallOrADash) {
  Program program = test::SampleProgram();
  program.machine.text += "call_ns: 12345";
  std::vector<RegimeView> regimes = ViewRegimes(program);
  const Graph& graph = program.regimes[0].graph;
  absl::StatusOr<MachineDescription> machine = ParseMachine(program.machine.text, "sample");
  ASSERT_TRUE(machine.ok()) << machine.status();
  const CallEstimate call = EstimateCall(graph, *machine, LowerEnd(graph.symbols()));
  EXPECT_EQ(call.overhead_ns, 12345);
  EXPECT_EQ(regimes[0].totals.estimate_ns_min, std::round(call.ns()));
  EXPECT_GT(regimes[0].totals.estimate_ns_max, regimes[0].totals.estimate_ns_min);
  EXPECT_THAT(RegimeTable(regimes), HasSubstr("  call estimate\n"));
  EXPECT_THAT(RegimeTable(regimes), HasSubstr(" us\n"));
  regimes[0].totals.estimate_ns_min = regimes[0].totals.estimate_ns_max = 0;
  EXPECT_THAT(RegimeTable(regimes), HasSubstr("  -\n"));
}

TEST(Summary, JsonHasTheSameNumbers) {
  Program program = test::SampleProgram();
  MemoryEstimate memory;
  memory.arena = 77;
  memory.scratch = 11;
  nlohmann::json json = nlohmann::json::parse(SummaryJson(program, memory, {}));
  EXPECT_EQ(json["schema_version"], 1);
  ASSERT_EQ(json["regimes"].size(), 2u);
  EXPECT_EQ(json["regimes"][1]["tokens"], nlohmann::json::parse("[5, 16]"));
  EXPECT_EQ(json["regimes"][1]["name"], "T 5..16");
  EXPECT_EQ(json["regimes"][0]["nodes"]["scalar"], ViewRegimes(program)[0].nodes.size());
  EXPECT_EQ(json["memory"]["arena_bytes"], 77);
  EXPECT_EQ(json["memory"]["scratch_bytes"], 11);
  EXPECT_EQ(json["memory"]["total_bytes"], 88);
}

}  // namespace
}  // namespace infer
