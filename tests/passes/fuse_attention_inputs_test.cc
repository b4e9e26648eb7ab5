// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "passes/passes.h"
#include "tests/support/graph_test.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectSameNumbers;
using test::ExpectUnchanged;

// 4 heads of q and 2 of k, each of 4 numbers.
constexpr std::string_view kAttentionGraph = R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %x: f32[T,8], %b: batch) {
      %w = weight() {name = "norm"} : f32[4]
      %kv = kv_state() {id = 0} : kv<f16[2,4]>
      %qr, %kr = qk_norm_rope(%q, %k, %w, %w, %b) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,4,4], f32[T,2,4] in "heads+q_rope+k_rope" from "q_rope", "k_rope"
      %v = silu(%x) : f32[T,8]
      %kv1 = kv_write(%kv, %kr, %v, %b) : kv<f16[2,4]> in "kv_write"
      %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,16]
      return %a
    })";

// kAttentionGraph with the first `from` replaced.
std::string With(std::string_view from, std::string_view to) {
  std::string text(kAttentionGraph);
  size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

// k has no origin any more: nothing computes it as a value.
TEST(FuseAttentionInputs, StoresTheKeysWhereTheyAreRotated) {
  ExpectRewrite(MakeFuseAttentionInputs(), kAttentionGraph, R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %x: f32[T,8], %b: batch) {
        %w = weight() {name = "norm"} : f32[4]
        %kv = kv_state() {id = 0} : kv<f16[2,4]>
        %v = silu(%x) : f32[T,8]
        %kv1, %qr = attention_inputs(%kv, %q, %k, %v, %w, %w, %b) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,4,4] in "heads+q_rope+k_rope+kv_write" from "kv_write", "q_rope"
        %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,16]
        return %a
      })");
}

TEST(FuseAttentionInputs, KeepsTheNumbers) {
  ExpectSameNumbers(MakeFuseAttentionInputs(), kAttentionGraph);
}

TEST(FuseAttentionInputs, LeavesKeysThatAreUsedElsewhere) {
  ExpectRefusal(MakeFuseAttentionInputs(), With("return %a", "return %a, %kr"),
                "k is used elsewhere");
  ExpectRefusal(MakeFuseAttentionInputs(), With("kv_write(%kv, %kr, %v", "kv_write(%kv, %kr, %kr"),
                "k is used elsewhere");
}

TEST(FuseAttentionInputs, LeavesAWriteOfTheQueries) {
  std::string text = With("kv<f16[2,4]>", "kv<f16[4,4]>");
  text.replace(text.find("kv_write(%kv, %kr, %v, %b) : kv<f16[2,4]>"), 41,
               "kv_write(%kv, %qr, %q, %b) : kv<f16[4,4]>");
  ExpectRefusal(MakeFuseAttentionInputs(), text, "it stores q");
}

TEST(FuseAttentionInputs, LeavesBatchesThatDiffer) {
  std::string text = With("%b: batch", "%b: batch, %c: batch");
  text.replace(text.find("%v, %b)"), 7, "%v, %c)");
  ExpectRefusal(MakeFuseAttentionInputs(), text, "the batches differ");
}

// The fused node stands where kv_write does, too late for the first reader of q.
TEST(FuseAttentionInputs, LeavesQueriesThatAreReadBeforeTheWrite) {
  std::string text = With("%v = silu(%x) : f32[T,8]",
                          "%f = reshape(%qr) {dims = [0,16]} : f32[T,16]\n"
                          "      %v = slice_columns(%f) {begin = 0, columns = 8} : f32[T,8]");
  ExpectRefusal(MakeFuseAttentionInputs(), text, "q is read before the cache is written");
}

TEST(FuseAttentionInputs, LeavesWhatTheOpDoesNotTake) {
  std::string text =
      With("%v = silu(%x) : f32[T,8]", "%v = reshape(%x) {dims = [0,2,4]} : f32[T,2,4]");
  ExpectRefusal(MakeFuseAttentionInputs(), text,
                "v must have the type of k, f32[T,8], found f32[T,2,4]");
}

TEST(FuseAttentionInputs, LeavesAWriteOfOtherKeys) {
  ExpectUnchanged(MakeFuseAttentionInputs(), With("kv_write(%kv, %kr, %v", "kv_write(%kv, %k, %v"));
}

}  // namespace
}  // namespace infer
