// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "ir/policy/machine_text.h"
#include "ir/text/printer.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectUnchanged;
using test::RuleFor;
using test::RunPass;
using test::TestMachine;

// 0.1 GB/s: 1 Gbit/s.
constexpr std::string_view kSlowNetwork = R"pb(
  name: "test"
  threads: 1
  target { target: SIMD step_ns: 10 }
  target { target: RANKS step_ns: 1000 }
  kernel { target: RANKS gb_s: 0.1 cached_gb_s: 0.1 }
  kernel {
    target: RANKS
    op: "all_gather"
    type: "f32"
    rate { rows: 1 gop_s: 4 }
  }
  kernel {
    target: RANKS
    op: "all_gather"
    type: "bf16"
    rate { rows: 1 gop_s: 2 }
  }
  kernel {
    target: RANKS
    op: "all_gather"
    type: "int8x32"
    rate { rows: 1 gop_s: 1 }
  }
)pb";
// Rounding 2 elements takes 1 ns, and saves 2 bytes: 0.04 ns.
constexpr std::string_view kFast = R"pb(
  name: "test"
  threads: 1
  target { target: RANKS step_ns: 1000 }
  kernel { target: RANKS gb_s: 50 cached_gb_s: 50 }
  kernel {
    target: RANKS
    op: "all_gather"
    type: "bf16"
    rate { rows: 1 gop_s: 2 }
  }
)pb";
constexpr std::string_view kUncalibrated = R"pb(
  name: "test"
  threads: 1
  target { target: RANKS step_ns: 1000 }
  kernel { target: RANKS gb_s: 0.1 cached_gb_s: 0.1 }
)pb";
constexpr std::string_view kNoNetwork = R"pb(
  name: "test"
  threads: 1
  target { target: SIMD step_ns: 10 }
)pb";

TestMachine MessageMachine(std::string numerics, std::string_view description = kSlowNetwork) {
  TestMachine machine;
  machine.description = ParseMachine(description, "test").value();
  Rule collectives = RuleFor("collectives", {Target::kRanks});
  collectives.op = "all_gather";
  machine.policy.rules = {collectives, RuleFor("all", {Target::kSimd})};
  machine.catalog.Add("all_gather", Target::kRanks)
      .Add("add", Target::kSimd)
      .Add("multi_linear", Target::kSimd)
      .Add("linear", Target::kSimd)
      .SetNumerics("multi_linear", Target::kSimd, "test bf16")
      .SetNumerics("linear", Target::kSimd, std::move(numerics));
  return machine;
}

constexpr std::string_view kProduct = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,128]
      %a = all_gather(%x) {axis = 1, ranks = 2, reason = "linear needs whole rows"} : f32[T,128] from "attention"
      %o = linear(%a, %w) : f32[T,32]
      return %o
    })";

std::string PlacedMessages(std::string_view text, const TestMachine& machine) {
  return PrintGraph(RunPass(MakePlaceNodes(), text, machine));
}

struct Gather {
  std::string message, reason, origin;
  double bytes;  // at 8 tokens
};

Gather Shortened(std::string_view text, const TestMachine& machine) {
  const Graph graph = RunPass(MakeShortenMessages(), PlacedMessages(text, machine), machine);
  const Node& node = *graph.NodesOf(ops::kAllGather).at(0);
  return {node.attr<std::string>(3), node.attr<std::string>(2), node.result().origin,
          node.placement()->cost.bytes.At({.t = 8})};
}

TEST(ShortenMessages, SendsTheNumbersThatTheReaderRoundsTo) {
  const Gather gather = Shortened(kProduct, MessageMachine("avx512 int8x32"));
  EXPECT_EQ(gather.message, "int8x32");
  EXPECT_EQ(gather.reason,
            "linear needs whole rows; sent as int8x32, to which its reader rounds it");
  EXPECT_EQ(gather.origin, "");
  EXPECT_EQ(gather.bytes, 8 * 64 / 32 * 36);
}

TEST(ShortenMessages, SendsBf16) {
  const Gather gather = Shortened(kProduct, MessageMachine("amx bf16"));
  EXPECT_EQ(gather.message, "bf16");
  EXPECT_EQ(gather.bytes, 8 * 64 * 2);
}

TEST(ShortenMessages, EstimatesTheShorterMessageAndItsRounding) {
  const TestMachine machine = MessageMachine("amx bf16");
  const Graph graph = RunPass(MakeShortenMessages(), PlacedMessages(kProduct, machine), machine);
  EXPECT_EQ(graph.NodesOf(ops::kAllGather).at(0)->placement()->estimate_ns_max,
            1000 + 8 * 64 * 2 / 0.1 + 8 * 128 / 2.0);
}

TEST(ShortenMessages, LeavesWhatWasShortenedAlone) {
  const TestMachine machine = MessageMachine("amx bf16");
  const Graph once = RunPass(MakeShortenMessages(), PlacedMessages(kProduct, machine), machine);
  ExpectUnchanged(MakeShortenMessages(), PrintGraph(once), machine);
}

TEST(ShortenMessages, LeavesProductsOfFloatsAlone) {
  for (const char* numerics : {"avx512 f32", "i8mm int8x128", "amx int8x32+bf16", ""}) {
    const TestMachine machine = MessageMachine(numerics);
    ExpectRefusal(MakeShortenMessages(), PlacedMessages(kProduct, machine), "which no message has",
                  machine);
  }
}

TEST(ShortenMessages, LeavesValuesOfOtherReadersAlone) {
  const TestMachine machine = MessageMachine("amx bf16");
  ExpectRefusal(MakeShortenMessages(),
                PlacedMessages(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[128,128]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,128]
      %o = linear(%a, %w) : f32[T,128]
      %y = add(%a, %o) : f32[T,128]
      return %y
    })",
                               machine),
                "add reads it as f32", machine);
}

TEST(ShortenMessages, LeavesReadersThatRoundDifferentlyAlone) {
  const TestMachine machine = MessageMachine("test int8x32");
  ExpectRefusal(MakeShortenMessages(),
                PlacedMessages(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[128,128]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,128]
      %o = linear(%a, %w) : f32[T,128]
      %p, %q = multi_linear(%a, %w, %w) : f32[T,128], f32[T,128]
      return %o, %p, %q
    })",
                               machine),
                "readers round it to int8x32 and to bf16", machine);
}

TEST(ShortenMessages, LeavesResultsAlone) {
  const TestMachine machine = MessageMachine("amx bf16");
  ExpectRefusal(MakeShortenMessages(),
                PlacedMessages(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,64]) {
      %w = weight() {name = "w"} : q8_0[32,128]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,128]
      %o = linear(%a, %w) : f32[T,32]
      return %a, %o
    })",
                               machine),
                "it is a result of the graph", machine);
}

TEST(ShortenMessages, LeavesPartsOfBlocksAlone) {
  const TestMachine machine = MessageMachine("test int8x32");
  ExpectRefusal(MakeShortenMessages(),
                PlacedMessages(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,48]) {
      %w = weight() {name = "w"} : q8_0[32,96]
      %a = all_gather(%x) {axis = 1, ranks = 2} : f32[T,96]
      %o = linear(%a, %w) : f32[T,32]
      return %o
    })",
                               machine),
                "its parts are not whole blocks of int8x32", machine);
}

TEST(ShortenMessages, LeavesFastNetworksAlone) {
  const TestMachine machine = MessageMachine("amx bf16", kFast);
  ExpectRefusal(MakeShortenMessages(), PlacedMessages(kProduct, machine),
                "rounding to bf16 takes longer than it saves", machine);
}

TEST(ShortenMessages, LeavesMessagesAloneIfNobodyMeasuredTheirRounding) {
  const TestMachine machine = MessageMachine("amx bf16", kUncalibrated);
  ExpectRefusal(MakeShortenMessages(), PlacedMessages(kProduct, machine),
                "does not say how long rounding to bf16 takes", machine);
}

TEST(ShortenMessages, LeavesUnknownNetworksAlone) {
  const TestMachine machine = MessageMachine("amx bf16", kNoNetwork);
  ExpectRefusal(MakeShortenMessages(), PlacedMessages(kProduct, machine),
                "the machine description has no network", machine);
}

}  // namespace
}  // namespace infer
