// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu_layout.h"

#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/graph/plan.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

// A regime whose collectives take `common` bytes of its arena.
Regime RegimeOf(uint64_t common, uint64_t own) {
  Regime regime;
  GraphBuilder builder(&regime.graph);
  Value x = regime.graph.AddInput("x", ValueType::F32({4, 16}))->output();
  ops::AllReduce(builder, x, /*ranks=*/2, "");
  Plan plan;
  plan.slots = {{.value = {0, 0}, .offset = common, .bytes = own, .alias_of = {}},
                {.value = {1, 0}, .offset = 0, .bytes = common, .alias_of = {}}};
  plan.arenas = {{.bytes = common + own}};
  regime.graph.set_plan(plan);
  return regime;
}

TEST(CpuLayout, CommonMemoryEndsAtThePlaceOfAllRegimes) {
  Program program;
  program.regimes.push_back(RegimeOf(256, 4096));
  program.regimes.push_back(RegimeOf(70'016, 1024));
  const CpuLayout layout(program);
  EXPECT_EQ(layout.common, 2u << 16);
  EXPECT_EQ(layout.own, 4096u);
  EXPECT_EQ(layout.BeginOf(program.regimes[0].graph), (2u << 16) - 256);
  EXPECT_EQ(layout.BeginOf(program.regimes[1].graph), (2u << 16) - 70'016);
}

TEST(CpuLayout, TellsRanksWhoseCollectivesLieElsewhere) {
  const auto hash = [](uint64_t common, uint64_t own, int64_t max_tokens) {
    Program program;
    program.regimes.push_back(RegimeOf(common, own));
    program.regimes[0].max_tokens = max_tokens;
    return CpuLayout(program).hash;
  };
  EXPECT_EQ(hash(256, 64, 8), hash(256, 4096, 8)) << "each has what it needs for itself";
  EXPECT_NE(hash(256, 64, 8), hash(512, 64, 8));
  EXPECT_NE(hash(256, 64, 8), hash(256, 64, 16));
}

TEST(CpuLayout, WithoutCollectivesThereIsOnlyTheArena) {
  Program program;
  Plan plan;
  plan.arenas = {{.bytes = 640}};
  program.regimes.emplace_back().graph.set_plan(plan);
  const CpuLayout layout(program);
  EXPECT_EQ(layout.common, 0u);
  EXPECT_EQ(layout.own, 640u);
  EXPECT_EQ(layout.BeginOf(program.regimes[0].graph), 0u);
}

}  // namespace
}  // namespace infer
