// SPDX-License-Identifier: Apache-2.0
#include "passes/estimate.h"

#include <gtest/gtest.h>

#include "ir/base/strings.h"
#include "ir/ops/ops.h"
#include "ir/policy/machine_text.h"
#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::RunPass;
using test::TestMachine;

MachineDescription MachineOf(std::string_view text) {
  absl::StatusOr<MachineDescription> machine = ParseMachine(text, "test");
  EXPECT_TRUE(machine.ok()) << machine.status();
  return machine.ok() ? *machine : MachineDescription();
}

// Ten bytes a nanosecond from memory and twenty from the cache; products get faster with rows.
MachineDescription SimdMachine() {
  return MachineOf(R"pb(
    name: "test"
    threads: 2
    cache_bytes: 4096
    call_ns: 1000
    target { target: SCALAR step_ns: 1 }
    target { target: SIMD step_ns: 50 }
    target { target: PARALLEL step_ns: 60 wake_ns: 500 }
    kernel {
      target: SCALAR
      gb_s: 1
      cached_gb_s: 1
      rate { rows: 1 gop_s: 1 }
    }
    kernel {
      target: SIMD
      gb_s: 10
      cached_gb_s: 20
      rate { rows: 1 gop_s: 2 }
    }
    kernel {
      target: SIMD
      op: "linear"
      gb_s: 10
      cached_gb_s: 20
      fixed_ns: 5
      rate { rows: 1 gop_s: 4 }
      rate { rows: 4 gop_s: 16 }
    }
    kernel {
      target: SIMD
      op: "linear"
      type: "f16"
      gb_s: 5
      cached_gb_s: 20
      rate { rows: 1 gop_s: 8 }
    }
    kernel {
      target: SIMD
      op: "attention"
      gb_s: 10
      cached_gb_s: 40
      rate { rows: 1 gop_s: 2 }
    }
    kernel {
      target: PARALLEL
      gb_s: 10
      cached_gb_s: 40
      rate { rows: 1 gop_s: 4 }
    }
  )pb");
}

constexpr std::string_view kLinear = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (%x: f32[T,32]) {
      %w = weight() {name = "w"} : f32[64,32]
      %y = linear(%x, %w) : f32[T,64]
      return %y
    })";

Estimate EstimateOf(const Graph& graph, const OpDef& op, Target target,
                    const MachineDescription& machine, const SymbolValues& at) {
  return EstimateNode(*graph.NodesOf(op).at(0), target, CallBytes(graph), machine, at);
}

TEST(Estimate, IsFixedCostAndTheLongerOfMemoryAndArithmetic) {
  const Estimate estimate{.fixed_ns = 10, .memory_ns = 20, .arithmetic_ns = 30};
  EXPECT_EQ(estimate.ns(), 40);
  EXPECT_EQ(estimate.bound(), Bound::kArithmetic);
  EXPECT_EQ((Estimate{10, 30, 20}).bound(), Bound::kMemory);
  EXPECT_EQ((Estimate{40, 30, 20}).bound(), Bound::kFixedCost);
  EXPECT_EQ(ToText(Estimate{1000, 3000, 2000}),
            "4 us, bound by memory (fixed cost 1, memory 3, arithmetic 2)");
}

TEST(Estimate, ReadsWeightsFromMemoryWhereTheCacheDoesNotHoldThem) {
  Graph graph = GraphOf(kLinear);
  const MachineDescription machine = SimdMachine();
  // 8192 bytes of weight, 128 + 256 of activations; 4096 operations a row.
  EXPECT_EQ(CallBytes(graph).At({}), 8192);
  Estimate one = EstimateOf(graph, ops::kLinear, Target::kSimd, machine, {1, 1, 1});
  EXPECT_DOUBLE_EQ(one.fixed_ns, 55);
  EXPECT_DOUBLE_EQ(one.memory_ns, 8192 / 10.0 + 384 / 20.0);
  EXPECT_DOUBLE_EQ(one.arithmetic_ns, 4096 / 4.0);
  MachineDescription large = machine;
  large.cache_bytes = 8192;
  Estimate cached = EstimateOf(graph, ops::kLinear, Target::kSimd, large, {1, 1, 1});
  EXPECT_DOUBLE_EQ(cached.memory_ns, (8192 + 384) / 20.0);
}

TEST(Estimate, TakesTheRateOfTheRows) {
  Graph graph = GraphOf(kLinear);
  Estimate four = EstimateOf(graph, ops::kLinear, Target::kSimd, SimdMachine(), {4, 1, 4});
  EXPECT_DOUBLE_EQ(four.arithmetic_ns, 4 * 4096 / 16.0);
  Estimate two = EstimateOf(graph, ops::kLinear, Target::kSimd, SimdMachine(), {2, 1, 2});
  EXPECT_DOUBLE_EQ(two.arithmetic_ns, 2 * 4096 / 8.0);
}

TEST(Estimate, AddsWhatMessagesTakeToTheirTravel) {
  const MachineDescription machine = MachineOf(R"pb(
    name: "test"
    threads: 1
    target { target: RANKS step_ns: 1000 }
    kernel { target: RANKS cached_gb_s: 2 }
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
      rate { rows: 1 gop_s: 1 }
    }
  )pb");
  auto estimate = [&](std::string_view message) {
    const Graph graph = GraphOf(StrCat(R"(
        graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
          %a = all_gather(%x) {axis = 1, ranks = 2)",
                                       message, R"(} : f32[T,64]
          return %a
        })"));
    return EstimateOf(graph, ops::kAllGather, Target::kRanks, machine, {3, 1, 3});
  };
  const Estimate floats = estimate("");
  EXPECT_DOUBLE_EQ(floats.fixed_ns, 1000);
  EXPECT_DOUBLE_EQ(floats.memory_ns, 3 * 32 * 4 / 2.0 + 3 * 64 / 4.0);
  EXPECT_DOUBLE_EQ(floats.arithmetic_ns, 0);
  const Estimate rounded = estimate(", message = \"bf16\"");
  EXPECT_DOUBLE_EQ(rounded.memory_ns, 3 * 32 * 2 / 2.0 + 3 * 64 / 1.0);
}

TEST(Estimate, ARankComputesItsShareOfTheRows) {
  auto estimate = [](std::string_view end) {
    const Graph graph = GraphOf(StrCat(R"(
        graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
          %y = silu(%x) : f32[T,32]
          )",
                                       end, "}"));
    return EstimateOf(graph, ops::kSilu, Target::kSimd, SimdMachine(), {8, 1, 8});
  };
  const Estimate all = estimate("return %y");
  const Estimate share = estimate("%z = all_rows(%y) {ranks = 4} : f32[T,32]\nreturn %z");
  EXPECT_GT(all.memory_ns, 0);
  EXPECT_DOUBLE_EQ(share.fixed_ns, all.fixed_ns);
  EXPECT_DOUBLE_EQ(share.memory_ns, all.memory_ns / 4);
  EXPECT_DOUBLE_EQ(share.arithmetic_ns, all.arithmetic_ns / 4);
}

TEST(Estimate, JoinedOpsOfSeveralRowsAreSeriesOfLaunches) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32], %y: f32[T,64]) {
        %n = weight() {name = "n"} : f32[32]
        %a = weight() {name = "a"} : f32[64,32]
        %b = weight() {name = "b"} : f32[64,32]
        %s = norm_swiglu(%x, %n, %a, %b) {eps = 1e-06} : f32[T,64]
        %r = linear_add(%x, %a, %y) : f32[T,64]
        %p, %q = multi_linear(%x, %a, %b) : f32[T,64], f32[T,64]
        return %s, %r, %p, %q
      })");
  const MachineDescription machine = MachineOf(R"pb(
    name: "test"
    threads: 1
    target { target: CUDA step_ns: 700 }
    target { target: SIMD step_ns: 50 }
  )pb");
  const auto fixed_ns = [&](const OpDef& op, Target target, int64_t rows) {
    return EstimateOf(graph, op, target, machine, {rows, 1, rows}).fixed_ns;
  };
  EXPECT_EQ(fixed_ns(ops::kNormSwiglu, Target::kCuda, 1), 700);
  EXPECT_EQ(fixed_ns(ops::kNormSwiglu, Target::kCuda, 2), 3 * 700);  // norm, products, swiglu
  EXPECT_EQ(fixed_ns(ops::kLinearAdd, Target::kCuda, 2), 700);       // the product adds the sum
  EXPECT_EQ(fixed_ns(ops::kMultiLinear, Target::kCuda, 2), 700);
  EXPECT_EQ(fixed_ns(ops::kNormSwiglu, Target::kSimd, 2), 50);
}

TEST(Estimate, AnAttentionAndItsInputsAreALaunchEachForSeveralRows) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %v: f32[T,8], %b: batch) {
        %w = weight() {name = "norm"} : f32[4]
        %kv = kv_state() {id = 0} : kv<f16[2,4]>
        %kv1, %qr = attention_inputs(%kv, %q, %k, %v, %w, %w, %b) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,4,4]
        %kv2, %a = self_attention(%kv1, %q, %k, %v, %w, %w, %b) {scale = 0.5, eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,16]
        %o = attention(%qr, %kv2, %b) {scale = 0.5} : f32[T,16]
        return %a, %o
      })");
  const MachineDescription machine = MachineOf(R"pb(
    name: "test"
    threads: 1
    target { target: CUDA step_ns: 700 }
    kernel {
      target: CUDA
      op: "attention"
      gb_s: 2
      cached_gb_s: 2
      rate { rows: 1 gop_s: 1 }
      rate { rows: 2 gop_s: 1 fixed_ns: 90 }
    }
  )pb");
  const auto fixed_ns = [&](const OpDef& op, int64_t rows) {
    return EstimateOf(graph, op, Target::kCuda, machine, {rows, 1, rows}).fixed_ns;
  };
  EXPECT_EQ(fixed_ns(ops::kAttentionInputs, 1), 700);
  EXPECT_EQ(fixed_ns(ops::kAttentionInputs, 2), 700);
  EXPECT_EQ(fixed_ns(ops::kSelfAttention, 1), 700);
  EXPECT_EQ(fixed_ns(ops::kSelfAttention, 2), 2 * 700 + 90);
  EXPECT_EQ(fixed_ns(ops::kAttention, 2), 700 + 90);
  // What the inputs read and write is in their own launch.
  const auto memory_ns = [&](const OpDef& op) {
    return EstimateOf(graph, op, Target::kCuda, machine, {2, 1, 2}).memory_ns;
  };
  EXPECT_GT(memory_ns(ops::kAttention), 0);
  EXPECT_EQ(memory_ns(ops::kSelfAttention), memory_ns(ops::kAttention));
}

TEST(Estimate, PartsOfAJoinedOpHaveTheRatesOfTheirOwn) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %n = weight() {name = "n"} : f32[32]
        %a = weight() {name = "a"} : f32[64,32]
        %b = weight() {name = "b"} : f32[64,32]
        %s = norm_swiglu(%x, %n, %a, %b) {eps = 1e-06} : f32[T,64]
        return %s
      })");
  const MachineDescription machine = MachineOf(R"pb(
    name: "test"
    threads: 1
    target { target: CUDA step_ns: 700 }
    kernel { target: CUDA op: "rms_norm" fixed_ns: 30 }
    kernel { target: CUDA op: "swiglu" fixed_ns: 4 }
    kernel {
      target: CUDA
      op: "linear"
      fixed_ns: 1000
      rate { rows: 1 gop_s: 1 }
      rate { rows: 2 gop_s: 1 fixed_ns: 200 }
      rate { rows: 8 gop_s: 1 fixed_ns: 600 }
    }
  )pb");
  const auto fixed_ns = [&](int64_t rows) {
    return EstimateOf(graph, ops::kNormSwiglu, Target::kCuda, machine, {rows, 1, rows}).fixed_ns;
  };
  EXPECT_DOUBLE_EQ(fixed_ns(1), 1700);
  EXPECT_DOUBLE_EQ(fixed_ns(2), 1700 + 200 + 730 + 704);
  EXPECT_DOUBLE_EQ(fixed_ns(4), 1700 + 400 + 730 + 704) << "halfway from 2 to 8 rows";
}

TEST(Estimate, TakesTheRateOfEachWeightOfAProduct) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %a = weight() {name = "a"} : f32[64,32]
        %b = weight() {name = "b"} : f16[64,32]
        %y, %z = multi_linear(%x, %a, %b) : f32[T,64], f32[T,64]
        return %y, %z
      })");
  Estimate both = EstimateOf(graph, ops::kMultiLinear, Target::kSimd, SimdMachine(), {1, 1, 1});
  EXPECT_DOUBLE_EQ(both.memory_ns, 8192 / 10.0 + 4096 / 5.0 + (128 + 2 * 256) / 20.0);
  EXPECT_DOUBLE_EQ(both.arithmetic_ns, 4096 / 4.0 + 4096 / 8.0);
}

// The cache: 2 * 2 heads * 4 * 2 bytes an entry. Of 4 * 6 pairs 3 * 4 / 2 are of later tokens.
TEST(Estimate, CountsWhatATokenSees) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..512) (%q: f32[T,2,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f16[2,4]>
        %y = attention(%q, %kv, %b) {scale = 0.5} : f32[T,8]
        return %y
      })");
  const MachineDescription machine = SimdMachine();
  Estimate few = EstimateOf(graph, ops::kAttention, Target::kSimd, machine, {4, 1, 6});
  EXPECT_DOUBLE_EQ(few.arithmetic_ns, 4 * 8 * (4 * 6 - 6) / 2.0);
  EXPECT_DOUBLE_EQ(few.memory_ns, (6 * 32 + 2 * 4 * 32) / 40.0);
  Estimate full = EstimateOf(graph, ops::kAttention, Target::kSimd, machine, {4, 1, 512});
  EXPECT_DOUBLE_EQ(full.memory_ns, 512 * 32 / 10.0 + 2 * 4 * 32 / 40.0);
}

// Eight decodes at depth 512 read the weights once and compute the attention of one eight times.
TEST(Estimate, OfABatchOfDecodesIsNotOffByItsSize) {
  Graph graph = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..4096) (%q: f32[T,2,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f16[2,4]>
        %y = attention(%q, %kv, %b) {scale = 0.5} : f32[T,8]
        return %y
      })");
  MachineDescription machine = SimdMachine();
  for (KernelRate& rate : machine.kernels) {
    if (rate.op == "attention") rate.rates.push_back({8, 16});  // of rows of one sequence
  }
  const auto attention = [&](const SymbolValues& at) {
    return EstimateOf(graph, ops::kAttention, Target::kSimd, machine, at);
  };
  const Estimate one = attention({1, 1, 512});
  const Estimate eight = attention({.t = 8, .r = 8, .s = 8 * 512, .sequences = 8});
  EXPECT_DOUBLE_EQ(eight.arithmetic_ns, 8 * one.arithmetic_ns);
  EXPECT_DOUBLE_EQ(eight.memory_ns, 8 * one.memory_ns);
  EXPECT_DOUBLE_EQ(eight.fixed_ns, one.fixed_ns);
  // Two prompts of four tokens each: the same pairs as in one after the other.
  const Estimate prompts = attention({.t = 8, .r = 2, .s = 8, .sequences = 2});
  EXPECT_DOUBLE_EQ(prompts.arithmetic_ns, 2 * attention({4, 1, 4}).arithmetic_ns);

  Graph product = GraphOf(kLinear);
  const auto linear = [&](const SymbolValues& at) {
    return EstimateOf(product, ops::kLinear, Target::kSimd, machine, at);
  };
  const double shared = linear({8, 8, 8}).ns();
  EXPECT_DOUBLE_EQ(linear({.t = 8, .r = 8, .s = 4096, .sequences = 8}).ns(), shared);
}

TEST(Estimate, KnowsNothingOfATargetThatTheMachineDoesNotHave) {
  Graph graph = GraphOf(kLinear);
  EXPECT_EQ(EstimateOf(graph, ops::kLinear, Target::kMetal, SimdMachine(), {1, 1, 1}).ns(), 0);
}

TEST(Estimate, OfACallHasItsOverheadAndItsNodes) {
  TestMachine machine;
  machine.description = SimdMachine();
  machine.policy.rules[0].targets = {Target::kParallel};
  machine.catalog.Add("silu", Target::kParallel);
  Graph graph = RunPass(MakePlaceNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,16]) {
        %y = silu(%x) : f32[T,16]
        %z = silu(%y) : f32[T,16]
        return %z
      })",
                        machine);
  const CallEstimate call = EstimateCall(graph, *machine.description, {1, 1, 1});
  EXPECT_EQ(call.overhead_ns, 1500);  // the threads are woken once
  EXPECT_DOUBLE_EQ(call.node_ns[static_cast<int>(Bound::kFixedCost)], 2 * (60 + 80 / 4.0));
  EXPECT_DOUBLE_EQ(call.ns(), 1500 + 2 * 80.0);
}

TEST(Estimate, IsWrittenForBothEndsByPlaceNodes) {
  TestMachine machine;
  machine.description = SimdMachine();
  machine.policy.rules[0].targets = {Target::kSimd};
  machine.catalog.Add("linear", Target::kSimd);
  Graph graph = RunPass(MakePlaceNodes(), kLinear, machine);
  const Placement& placement = *graph.NodesOf(ops::kLinear).at(0)->placement();
  EXPECT_EQ(placement.estimate_ns_min, 55 + 1024);
  EXPECT_EQ(placement.estimate_ns_max, 55 + 8 * 4096 / 16);
  machine.description.reset();
  Graph without = RunPass(MakePlaceNodes(), kLinear, machine);
  EXPECT_EQ(without.NodesOf(ops::kLinear).at(0)->placement()->estimate_ns_max, 0);
}

}  // namespace
}  // namespace infer
