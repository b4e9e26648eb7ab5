// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectError;
using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectUnchanged;
using test::TestMachine;

TestMachine Ranks(int32_t ranks, ShardPolicy::Mode mode = ShardPolicy::Mode::kExact,
                  int64_t min_columns = 1) {
  TestMachine machine;
  machine.policy.shard = {ranks, mode, min_columns};
  return machine;
}

constexpr std::string_view kShardedAttention = R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,32], %batch: batch) {
      %wq = weight() {name = "q"} : f16[64,32]
      %wk = weight() {name = "k"} : f16[32,32]
      %wv = weight() {name = "v"} : f16[32,32]
      %n = weight() {name = "n"} : f32[8]
      %wo = weight() {name = "o"} : q8_0[32,64]
      %kv = kv_state() {id = 0} : kv<f16[4,8]>
      %q, %k, %v = multi_linear(%x, %wq, %wk, %wv) : f32[T,64], f32[T,32], f32[T,32] in "layer.0/q"
      %kv1, %h = attention_inputs(%kv, %q, %k, %v, %n, %n, %batch) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[4,8]>, f32[T,8,8] in "layer.0/rope"
      %a = attention(%h, %kv1, %batch) {scale = 0.25} : f32[T,64] in "layer.0/attention"
      %o = linear(%a, %wo) : f32[T,32] in "layer.0/o"
      %y = add(%x, %o) : f32[T,32] in "layer.0/add"
      return %y
    })";

TEST(ShardGraph, DividesAttentionByHeadsAndProductsByColumns) {
  ExpectRewrite(MakeShardGraph(), kShardedAttention, R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,32], %batch: batch) {
      %n = weight() {name = "n"} : f32[8]
      %kv = kv_state() {id = 0} : kv<f16[2,8]>
      %wq = weight() {name = "q", parts = 2, shard = "each column by itself"} : f16[32,32]
      %wk = weight() {name = "k", parts = 2, shard = "each column by itself"} : f16[16,32]
      %wv = weight() {name = "v", parts = 2, shard = "each column by itself"} : f16[16,32]
      %q, %k, %v = multi_linear(%x, %wq, %wk, %wv) : f32[T,32], f32[T,16], f32[T,16] in "layer.0/q" from none
      %kv1, %h = attention_inputs(%kv, %q, %k, %v, %n, %n, %batch) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,8]>, f32[T,4,8] in "layer.0/rope" from none
      %0 = attention(%h, %kv1, %batch) {scale = 0.25} : f32[T,32] in "layer.0/attention" from none
      %a = all_gather(%0) {axis = 1, ranks = 2, reason = "linear needs whole rows, so that it adds in the order of one process"} : f32[T,64] in "layer.0/attention"
      %wo = weight() {name = "o", parts = 2, shard = "each column by itself"} : q8_0[16,64]
      %1 = linear(%a, %wo) : f32[T,16] in "layer.0/o" from none
      %o = all_gather(%1) {axis = 1, ranks = 2, reason = "every rank computes add: input 0 is replicated, not split along axis 1"} : f32[T,32] in "layer.0/o"
      %y = add(%x, %o) : f32[T,32] in "layer.0/add"
      return %y
    })",
                Ranks(2));
}

TEST(ShardGraph, AddsTermsInFastMode) {
  ExpectRewrite(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wg = weight() {name = "gate"} : f16[64,32]
      %wd = weight() {name = "down"} : q8_0[32,64]
      %g = linear(%x, %wg) : f32[T,64] in "layer.0/gate"
      %s = silu(%g) : f32[T,64] in "layer.0/silu"
      %d = linear(%s, %wd) : f32[T,32] in "layer.0/down"
      return %d
    })",
                R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wg = weight() {name = "gate", parts = 2, shard = "each column by itself"} : f16[32,32]
      %g = linear(%x, %wg) : f32[T,32] in "layer.0/gate" from none
      %s = silu(%g) : f32[T,32] in "layer.0/silu" from none
      %wd = weight() {name = "down", axis = 1, parts = 2, shard = "each rank has the columns of x that its part of the weight needs"} : q8_0[32,32]
      %0 = linear(%s, %wd) : f32[T,32] in "layer.0/down" from none
      %d = all_reduce(%0) {ranks = 2, reason = "it is a result of the graph"} : f32[T,32] in "layer.0/down"
      return %d
    })",
                Ranks(2, ShardPolicy::Mode::kFast));
}

// 64 inner elements are one block of q4_k's 256 at most, so the exact way is taken.
TEST(ShardGraph, NeedsWholeBlocksToAddTerms) {
  ExpectRewrite(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wg = weight() {name = "gate"} : f16[256,32]
      %wd = weight() {name = "down"} : q4_k[32,256]
      %g = linear(%x, %wg) : f32[T,256]
      %d = linear(%g, %wd) : f32[T,32]
      return %d
    })",
                R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wg = weight() {name = "gate", parts = 2, shard = "each column by itself"} : f16[128,32]
      %0 = linear(%x, %wg) : f32[T,128]
      %g = all_gather(%0) {axis = 1, ranks = 2, reason = "linear needs whole rows, so that it adds in the order of one process"} : f32[T,256]
      %wd = weight() {name = "down", parts = 2, shard = "each column by itself"} : q4_k[16,256]
      %1 = linear(%g, %wd) : f32[T,16]
      %d = all_gather(%1) {axis = 1, ranks = 2, reason = "it is a result of the graph"} : f32[T,32]
      return %d
    })",
                Ranks(2, ShardPolicy::Mode::kFast));
}

constexpr std::string_view kExperts = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wr = weight() {name = "router"} : f32[4,32]
      %wg = weight() {name = "gate"} : f16[4,64,32]
      %wu = weight() {name = "up"} : f16[4,64,32]
      %wd = weight() {name = "down"} : f16[4,32,64]
      %r = linear(%x, %wr) : f32[T,4] in "layer.0/router"
      %ids, %p = route(%r) {k = 2, normed = true} : i32[T,2], f32[T,2] in "layer.0/route"
      %h = expert_swiglu(%x, %wg, %wu, %ids) : f32[T,2,64] in "layer.0/swiglu"
      %d = expert_linear(%h, %wd, %ids) : f32[T,2,32] in "layer.0/down"
      %y = combine(%d, %p) : f32[T,32] in "layer.0/combine"
      return %y
    })";

TEST(ShardGraph, DividesTheColumnsOfEveryExpert) {
  ExpectRewrite(MakeShardGraph(), kExperts, R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wr = weight() {name = "router", shard = "4 columns are too few to be worth a collective, which needs 16"} : f32[4,32]
      %r = linear(%x, %wr) : f32[T,4] in "layer.0/router"
      %ids, %p = route(%r) {k = 2, normed = true} : i32[T,2], f32[T,2] in "layer.0/route"
      %wg = weight() {name = "gate", axis = 1, parts = 2, shard = "each column of every expert by itself"} : f16[4,32,32]
      %wu = weight() {name = "up", axis = 1, parts = 2, shard = "each column of every expert by itself"} : f16[4,32,32]
      %0 = expert_swiglu(%x, %wg, %wu, %ids) : f32[T,2,32] in "layer.0/swiglu" from none
      %h = all_gather(%0) {axis = 2, ranks = 2, reason = "expert_linear needs whole rows, so that it adds in the order of one process"} : f32[T,2,64] in "layer.0/swiglu"
      %wd = weight() {name = "down", axis = 1, parts = 2, shard = "each column of every expert by itself"} : f16[4,16,64]
      %d = expert_linear(%h, %wd, %ids) : f32[T,2,16] in "layer.0/down" from none
      %1 = combine(%d, %p) : f32[T,16] in "layer.0/combine" from none
      %y = all_gather(%1) {axis = 1, ranks = 2, reason = "it is a result of the graph"} : f32[T,32] in "layer.0/combine"
      return %y
    })",
                Ranks(2, ShardPolicy::Mode::kExact, 16));
}

TEST(ShardGraph, AddsTheTermsOfExpertsInFastMode) {
  ExpectRewrite(MakeShardGraph(), kExperts, R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wr = weight() {name = "router", shard = "4 columns are too few to be worth a collective, which needs 16"} : f32[4,32]
      %r = linear(%x, %wr) : f32[T,4] in "layer.0/router"
      %ids, %p = route(%r) {k = 2, normed = true} : i32[T,2], f32[T,2] in "layer.0/route"
      %wg = weight() {name = "gate", axis = 1, parts = 2, shard = "each column of every expert by itself"} : f16[4,32,32]
      %wu = weight() {name = "up", axis = 1, parts = 2, shard = "each column of every expert by itself"} : f16[4,32,32]
      %h = expert_swiglu(%x, %wg, %wu, %ids) : f32[T,2,32] in "layer.0/swiglu" from none
      %wd = weight() {name = "down", axis = 2, parts = 2, shard = "each rank has the columns of x that its part of the weight needs"} : f16[4,32,32]
      %d = expert_linear(%h, %wd, %ids) : f32[T,2,32] in "layer.0/down" from none
      %1 = combine(%d, %p) : f32[T,32] in "layer.0/combine" from none
      %y = all_reduce(%1) {ranks = 2, reason = "it is a result of the graph"} : f32[T,32] in "layer.0/combine"
      return %y
    })",
                Ranks(2, ShardPolicy::Mode::kFast, 16));
}

// Llama: no norms of heads, biases, rope on heads. The token matrix is read whole and in parts.
TEST(ShardGraph, PassesThroughHeadsBiasesAndSelectedRows) {
  ExpectRewrite(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%tokens: i32[T], %batch: batch) {
      %e = weight() {name = "embd"} : f16[64,32]
      %w = weight() {name = "w"} : f16[64,32]
      %b = weight() {name = "b"} : f32[64]
      %x = embed(%e, %tokens) : f32[T,32]
      %q = linear(%x, %w) : f32[T,64]
      %c = add(%q, %b) : f32[T,64]
      %h = reshape(%c) {dims = [0,4,16]} : f32[T,4,16]
      %f = reshape(%h) {dims = [0,64]} : f32[T,64]
      %s = select_rows(%f, %batch) : f32[R,64]
      %t = select_rows(%x, %batch) : f32[R,32]
      %logits = linear(%t, %e) : f32[R,64]
      return %logits, %s
    })",
                R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2) (%tokens: i32[T], %batch: batch) {
      %e = weight() {name = "embd", shard = "few of its rows are read, from the file of the output matrix"} : f16[64,32]
      %x = embed(%e, %tokens) : f32[T,32]
      %w = weight() {name = "w", parts = 4, shard = "each column by itself"} : f16[16,32]
      %q = linear(%x, %w) : f32[T,16]
      %b = weight() {name = "b", parts = 4, shard = "each element by itself"} : f32[16]
      %c = add(%q, %b) : f32[T,16]
      %h = reshape(%c) {dims = [0,1,16]} : f32[T,1,16]
      %f = reshape(%h) {dims = [0,16]} : f32[T,16]
      %s = select_rows(%f, %batch) : f32[R,16]
      %t = select_rows(%x, %batch) : f32[R,32]
      %v = weight() {name = "embd", parts = 4, shard = "each column by itself"} : f16[16,32]
      %0 = linear(%t, %v) : f32[R,16]
      %logits = all_gather(%0) {axis = 1, ranks = 4, reason = "it is a result of the graph"} : f32[R,64]
      %1 = all_gather(%s) {axis = 1, ranks = 4, reason = "it is a result of the graph"} : f32[R,64]
      return %logits, %1
    })",
                Ranks(4));
}

TEST(ShardGraph, DividesTheRowsOfTokens) {
  ExpectRewrite(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8) (%tokens: i32[T]) {
      %e = weight() {name = "embd"} : f16[64,32]
      %w = weight() {name = "out"} : f16[64,32]
      %x = embed(%e, %tokens) : f32[T,32]
      %logits = linear(%x, %w) : f32[T,64]
      return %logits
    })",
                R"(
    graph @g stage(bound) symbols(T = 1..8) (%tokens: i32[T]) {
      %e = weight() {name = "embd", axis = 1, parts = 2, shard = "each column by itself"} : f16[64,16]
      %0 = embed(%e, %tokens) : f32[T,16] from none
      %x = all_gather(%0) {axis = 1, ranks = 2, reason = "linear needs whole rows, so that it adds in the order of one process"} : f32[T,32]
      %w = weight() {name = "out", parts = 2, shard = "each column by itself"} : f16[32,32]
      %1 = linear(%x, %w) : f32[T,32] from none
      %logits = all_gather(%1) {axis = 1, ranks = 2, reason = "it is a result of the graph"} : f32[T,64]
      return %logits
    })",
                Ranks(2));
}

// A part by columns would be a copy, where the rows that are read come from the file.
TEST(ShardGraph, LeavesATableWholeThatIsTheOutputMatrixToo) {
  ExpectRewrite(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8) (%tokens: i32[T]) {
      %e = weight() {name = "embd"} : f16[64,32]
      %x = embed(%e, %tokens) : f32[T,32]
      %logits = linear(%x, %e) : f32[T,64]
      return %logits
    })",
                R"(
    graph @g stage(bound) symbols(T = 1..8) (%tokens: i32[T]) {
      %e = weight() {name = "embd", shard = "few of its rows are read, from the file of the output matrix"} : f16[64,32]
      %x = embed(%e, %tokens) : f32[T,32]
      %v = weight() {name = "embd", parts = 2, shard = "each column by itself"} : f16[32,32]
      %0 = linear(%x, %v) : f32[T,32] from none
      %logits = all_gather(%0) {axis = 1, ranks = 2, reason = "it is a result of the graph"} : f32[T,64]
      return %logits
    })",
                Ranks(2));
}

TEST(ShardGraph, NamesTheRanksThatArePossible) {
  ExpectError(MakeShardGraph(), kShardedAttention, "3 ranks", Ranks(3));
  ExpectError(MakeShardGraph(), kShardedAttention,
              "it has 2 groups of 16 columns, which 3 ranks cannot share evenly; possible: 2",
              Ranks(3));
}

TEST(ShardGraph, RefusesMoreRanksThanHeads) {
  ExpectError(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,64], %batch: batch) {
      %w = weight() {name = "w"} : f16[64,64]
      %kv = kv_state() {id = 0} : kv<f16[2,32]>
      %k = linear(%x, %w) : f32[T,64] in "layer.0/k"
      %kv1 = kv_write(%kv, %k, %k, %batch) : kv<f16[2,32]> in "layer.0/write"
      %h = reshape(%k) {dims = [0,2,32]} : f32[T,2,32] in "layer.0/heads"
      %a = attention(%h, %kv1, %batch) {scale = 1.0} : f32[T,64] in "layer.0/attention"
      return %a
    })",
              "2 key/value heads, which 4 ranks cannot share evenly; possible: 2", Ranks(4));
}

// Outside the layers, as the projection to a vocabulary of any size.
TEST(ShardGraph, LeavesAVocabularyThatCannotBeDividedWhole) {
  constexpr std::string_view kText = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %w = weight() {name = "output"} : f16[33,32]
      %y = linear(%x, %w) : f32[T,33] in "logits"
      return %y
    })";
  ExpectRefusal(MakeShardGraph(), kText, "1 groups of 16 columns, which 2 ranks cannot share",
                Ranks(2));
}

TEST(ShardGraph, LeavesNarrowProductsWhole) {
  ExpectRefusal(MakeShardGraph(), R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %w = weight() {name = "router"} : f32[128,32]
      %y = linear(%x, %w) : f32[T,128] in "layer.0/router"
      return %y
    })",
                "128 columns are too few to be worth a collective, which needs 256",
                Ranks(2, ShardPolicy::Mode::kExact, 256));
}

TEST(ShardGraph, DoesNothingForOneRank) {
  ExpectUnchanged(MakeShardGraph(), kShardedAttention, Ranks(1));
}

}  // namespace
}  // namespace infer
