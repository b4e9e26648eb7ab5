// SPDX-License-Identifier: Apache-2.0
#include "tools/report/shard_text.h"

#include <gtest/gtest.h>

#include <map>

#include "ir/text/parser.h"

namespace infer {
namespace {

TEST(ShardText, SaysHowAndWhy) {
  absl::StatusOr<Graph> graph = ParseGraph(R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %n = weight() {name = "n"} : f32[32]
      %q = weight() {name = "q", parts = 2, shard = "each column by itself"} : f16[32,32]
      %k = weight() {name = "k", parts = 2, shard = "each column by itself"} : f16[16,32]
      %r = weight() {name = "r", shard = "8 columns are too few"} : f16[8,32]
      %norm = rms_norm(%x, %n) {eps = 1e-06} : f32[T,32]
      %a, %b = multi_linear(%norm, %q, %k) : f32[T,32], f32[T,16]
      %c = linear(%norm, %r) : f32[T,8]
      %d = linear(%norm, %q) : f32[T,32]
      %all = all_gather(%a) {axis = 1, ranks = 2, reason = "add needs whole rows"} : f32[T,64]
      %sum = all_reduce(%d) {ranks = 2, reason = "every rank has a term"} : f32[T,32]
      %s = all_rows(%norm) {ranks = 2, reason = "every rank would compute it"} : f32[T,32]
      return %all, %b, %c, %sum, %s
    })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::map<std::string, std::string> texts;
  for (const Node* node : graph->nodes()) texts[node->result().name] = ShardText(*node);
  EXPECT_EQ(texts["norm"], "");
  EXPECT_EQ(texts["a"], "1/2 of its weights along axis 0: each column by itself");
  EXPECT_EQ(texts["c"], "all of its weight on every rank: 8 columns are too few");
  EXPECT_EQ(texts["d"], "1/2 of its weight along axis 0: each column by itself");
  EXPECT_EQ(texts["all"], "collects what 2 ranks have: add needs whole rows");
  EXPECT_EQ(texts["sum"], "adds what 2 ranks have: every rank has a term");
  EXPECT_EQ(texts["s"], "shares out the rows over 2 ranks: every rank would compute it");
}

}  // namespace
}  // namespace infer
