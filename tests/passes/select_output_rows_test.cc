// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "ir/ops/ops.h"
#include "passes/passes.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectSameNumbers;
using test::ExpectUnchanged;
using test::GraphOf;
using test::RunPass;

constexpr std::string_view kOutputLinear = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
      %w = weight() {name = "w"} : f32[6,4]
      %y = linear(%x, %w) : f32[T,6] in "proj"
      %r = select_rows(%y, %b) : f32[R,6] in "rows"
      return %r
    })";

TEST(SelectOutputRows, MovesAboveARowWiseOp) {
  ExpectRewrite(MakeSelectOutputRows(), kOutputLinear, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %w = weight() {name = "w"} : f32[6,4]
        %0 = select_rows(%x, %b) : f32[R,4] in "rows" from none
        %y = linear(%0, %w) : f32[R,6] in "proj" from "rows"
        return %y
      })");
  ExpectSameNumbers(MakeSelectOutputRows(), kOutputLinear);
}

// The end of a decoder: a residual that is read twice, a norm, a gated feed-forward.
constexpr std::string_view kFeedForward = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %a: f32[T,4], %b: batch) {
      %wo = weight() {name = "o"} : f32[4,4]
      %wn = weight() {name = "norm"} : f32[4]
      %wu = weight() {name = "up"} : f32[6,4]
      %wd = weight() {name = "down"} : f32[4,6]
      %o = linear(%a, %wo) : f32[T,4] in "o_proj"
      %h = add(%x, %o) : f32[T,4] in "attn_residual"
      %n = rms_norm(%h, %wn) {eps = 0.5} : f32[T,4] in "norm"
      %u = linear(%n, %wu) : f32[T,6] in "up"
      %s = silu(%u) : f32[T,6] in "act"
      %d = linear(%s, %wd) : f32[T,4] in "down"
      %f = add(%h, %d) : f32[T,4] in "ffn_residual"
      %r = select_rows(%f, %b) : f32[R,4] in "rows"
      return %r
    })";

TEST(SelectOutputRows, GoesAsFarAsItCanAndSelectsEachValueOnce) {
  ExpectRewrite(MakeSelectOutputRows(), kFeedForward, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %a: f32[T,4], %b: batch) {
        %wo = weight() {name = "o"} : f32[4,4]
        %wn = weight() {name = "norm"} : f32[4]
        %wu = weight() {name = "up"} : f32[6,4]
        %wd = weight() {name = "down"} : f32[4,6]
        %0 = select_rows(%a, %b) : f32[R,4] in "rows" from none
        %o = linear(%0, %wo) : f32[R,4] in "o_proj" from none
        %1 = select_rows(%x, %b) : f32[R,4] in "rows" from none
        %h = add(%1, %o) : f32[R,4] in "attn_residual" from none
        %n = rms_norm(%h, %wn) {eps = 0.5} : f32[R,4] in "norm" from none
        %u = linear(%n, %wu) : f32[R,6] in "up" from none
        %s = silu(%u) : f32[R,6] in "act" from none
        %d = linear(%s, %wd) : f32[R,4] in "down" from none
        %f = add(%h, %d) : f32[R,4] in "ffn_residual" from "rows"
        return %f
      })");
  ExpectSameNumbers(MakeSelectOutputRows(), kFeedForward);
}

TEST(SelectOutputRows, LeavesTwoSelectionsInTheToyModel) {
  std::ifstream file(INFER_TEST_DATA "/qwen3_toy.graph");
  std::stringstream text;
  text << file.rdbuf();
  std::string bound = text.str();
  bound.replace(bound.find("stage(imported)"), 15,
                "stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32)");
  Graph graph = RunPass(MakeSelectOutputRows(), bound);
  std::vector<Node*> selections = graph.NodesOf(ops::kSelectRows);
  ASSERT_EQ(selections.size(), 2u);
  EXPECT_TRUE(selections[0]->input(0).node->Is(ops::kAttention));
  EXPECT_TRUE(selections[1]->input(0).node->Is(ops::kEmbed));
  ExpectSameNumbers(MakeSelectOutputRows(), bound);
}

TEST(SelectOutputRows, StopsAtAResultOfTheGraph) {
  ExpectUnchanged(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %y = silu(%x) : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        return %r, %y
      })");
}

TEST(SelectOutputRows, StopsWhereAllRowsAreReadElsewhere) {
  ExpectUnchanged(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (%x: f32[T,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %y = silu(%x) : f32[T,4]
        %new = kv_write(%kv, %y, %y, %b) : kv<f16[1,4]>
        %r = select_rows(%y, %b) : f32[R,4]
        return %r
      })");
}

TEST(SelectOutputRows, StopsWhereAnotherBatchSelects) {
  ExpectUnchanged(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch, %c: batch) {
        %y = silu(%x) : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        %s = select_rows(%y, %c) : f32[R,4]
        return %r, %s
      })");
}

TEST(SelectOutputRows, StopsAtAnOpThatReadsTheBatch) {
  ExpectRefusal(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,2,4], %b: batch) {
        %y = rope(%x, %b) {base = 1000.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,2,4]
        %r = select_rows(%y, %b) : f32[R,2,4]
        return %r
      })",
                "reads the batch");
}

TEST(SelectOutputRows, StopsAtAttention) {
  ExpectRefusal(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (%q: f32[T,1,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %y = attention(%q, %kv, %b) {scale = 0.5} : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        return %r
      })",
                "other rows");
}

TEST(SelectOutputRows, StopsAtRowsThatDependOnOthers) {
  ExpectRefusal(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[4,T], %b: batch) {
        %y = transpose(%x) : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        return %r
      })",
                "other rows");
}

TEST(SelectOutputRows, StopsAtTokens) {
  ExpectRefusal(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%tokens: i32[T], %b: batch) {
        %table = weight() {name = "table"} : f32[9,4]
        %y = embed(%table, %tokens) : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        return %r
      })",
                "i32[T]");
}

TEST(SelectOutputRows, StopsAtAVectorWithANumberPerToken) {
  ExpectRefusal(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T], %b: batch) {
        %y = broadcast_rows(%x) {columns = 4} : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        return %r
      })",
                "f32[T]");
}

constexpr std::string_view kView = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
      %y = silu(%x) : f32[T,4]
      %h = reshape(%y) {dims = [0,2,2]} : f32[T,2,2]
      %r = select_rows(%h, %b) : f32[R,2,2]
      return %r
    })";

TEST(SelectOutputRows, MovesAboveAViewThatKeepsTheRows) {
  ExpectRewrite(MakeSelectOutputRows(), kView, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %0 = select_rows(%x, %b) : f32[R,4]
        %y = silu(%0) : f32[R,4]
        %h = reshape(%y) {dims = [0,2,2]} : f32[R,2,2]
        return %h
      })");
  ExpectSameNumbers(MakeSelectOutputRows(), kView);
}

constexpr std::string_view kSeveralResults = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
      %w = weight() {name = "w"} : f32[6,4]
      %v = weight() {name = "v"} : f16[2,4]
      %y, %z = multi_linear(%x, %w, %v) : f32[T,6], f32[T,2]
      %r = select_rows(%y, %b) : f32[R,6]
      %s = select_rows(%z, %b) : f32[R,2]
      return %r, %s
    })";

TEST(SelectOutputRows, MovesAboveSeveralResultsAtOnce) {
  ExpectRewrite(MakeSelectOutputRows(), kSeveralResults, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %w = weight() {name = "w"} : f32[6,4]
        %v = weight() {name = "v"} : f16[2,4]
        %0 = select_rows(%x, %b) : f32[R,4]
        %y, %z = multi_linear(%0, %w, %v) : f32[R,6], f32[R,2]
        return %y, %z
      })");
  ExpectSameNumbers(MakeSelectOutputRows(), kSeveralResults);
}

TEST(SelectOutputRows, StopsIfOneOfSeveralResultsIsReadWhole) {
  ExpectUnchanged(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %w = weight() {name = "w"} : f32[6,4]
        %v = weight() {name = "v"} : f16[2,4]
        %y, %z = multi_linear(%x, %w, %v) : f32[T,6], f32[T,2]
        %r = select_rows(%y, %b) : f32[R,6]
        return %r, %z
      })");
}

TEST(SelectOutputRows, LeavesVectorsAlongTheColumnsAlone) {
  ExpectRewrite(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %v: f32[4], %b: batch) {
        %y = add(%x, %v) : f32[T,4]
        %r = select_rows(%y, %b) : f32[R,4]
        return %r
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %v: f32[4], %b: batch) {
        %0 = select_rows(%x, %b) : f32[R,4]
        %y = add(%0, %v) : f32[R,4]
        return %y
      })");
}

// An existing selection is used if it stands above the reader.
TEST(SelectOutputRows, UsesASelectionThatIsThere) {
  ExpectRewrite(MakeSelectOutputRows(), R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %r = select_rows(%x, %b) : f32[R,4]
        %y = silu(%x) : f32[T,4]
        %s = select_rows(%y, %b) : f32[R,4]
        return %r, %s
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%x: f32[T,4], %b: batch) {
        %r = select_rows(%x, %b) : f32[R,4]
        %y = silu(%r) : f32[R,4]
        return %r, %y
      })");
}

}  // namespace
}  // namespace infer
