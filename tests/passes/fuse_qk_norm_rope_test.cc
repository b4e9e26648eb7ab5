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
constexpr std::string_view kAttention = R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %v: f32[T,8], %b: batch) {
      %wq = weight() {name = "q_norm"} : f32[4]
      %wk = weight() {name = "k_norm"} : f32[4]
      %qh = reshape(%q) {dims = [0,4,4]} : f32[T,4,4] in "q_heads"
      %qn = rms_norm(%qh, %wq) {eps = 1e-06} : f32[T,4,4] in "q_norm"
      %qr = rope(%qn, %b) {base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,4,4] in "q_rope"
      %kh = reshape(%k) {dims = [0,2,4]} : f32[T,2,4] in "k_heads"
      %kn = rms_norm(%kh, %wk) {eps = 1e-06} : f32[T,2,4] in "k_norm"
      %kr = rope(%kn, %b) {base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,2,4] in "k_rope"
      %kv = kv_state() {id = 0} : kv<f16[2,4]>
      %kv1 = kv_write(%kv, %kr, %v, %b) : kv<f16[2,4]>
      %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,16]
      return %a
    })";

constexpr std::string_view kFused = R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %v: f32[T,8], %b: batch) {
      %wq = weight() {name = "q_norm"} : f32[4]
      %wk = weight() {name = "k_norm"} : f32[4]
      %qr, %kr = qk_norm_rope(%q, %k, %wq, %wk, %b) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,4,4], f32[T,2,4] in "q_heads+q_norm+q_rope+k_heads+k_norm+k_rope" from "q_rope", "k_rope"
      %kv = kv_state() {id = 0} : kv<f16[2,4]>
      %kv1 = kv_write(%kv, %kr, %v, %b) : kv<f16[2,4]>
      %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,16]
      return %a
    })";

// kAttention with the first `from` after `after` replaced.
std::string With(std::string_view after, std::string_view from, std::string_view to) {
  std::string text(kAttention);
  size_t at = text.find(from, text.find(after));
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(FuseQkNormRope, JoinsBothChainsOfAnAttention) {
  ExpectRewrite(MakeFuseQkNormRope(), kAttention, kFused);
}

TEST(FuseQkNormRope, KeepsTheNumbers) { ExpectSameNumbers(MakeFuseQkNormRope(), kAttention); }

// The rotated values stay, so others may read them as well.
TEST(FuseQkNormRope, KeepsRotatedValuesThatAreUsedElsewhere) {
  std::string after(kFused);
  after.replace(after.find("return %a"), 9, "return %a, %kr, %qr");
  ExpectRewrite(MakeFuseQkNormRope(), With("", "return %a", "return %a, %kr, %qr"), after);
}

// k before q: the scope is that of the first node, the results keep their order.
TEST(FuseQkNormRope, TakesTheChainsInEitherOrder) {
  ExpectRewrite(MakeFuseQkNormRope(), R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,4], %k: f32[T,4], %b: batch) {
        %w = weight() {name = "norm"} : f32[4]
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %kh = reshape(%k) {dims = [0,1,4]} : f32[T,1,4] in "k_heads"
        %kn = rms_norm(%kh, %w) {eps = 0.5} : f32[T,1,4] in "k_norm"
        %kr = rope(%kn, %b) {base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,1,4] in "k_rope"
        %qh = reshape(%q) {dims = [0,1,4]} : f32[T,1,4] in "q_heads"
        %qn = rms_norm(%qh, %w) {eps = 0.5} : f32[T,1,4] in "q_norm"
        %qr = rope(%qn, %b) {base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,1,4] in "q_rope"
        %kv1 = kv_write(%kv, %kr, %k, %b) : kv<f16[1,4]>
        %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,4]
        return %a
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,4], %k: f32[T,4], %b: batch) {
        %w = weight() {name = "norm"} : f32[4]
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %qr, %kr = qk_norm_rope(%q, %k, %w, %w, %b) {eps = 0.5, base = 100.0, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : f32[T,1,4], f32[T,1,4] in "k_heads+k_norm+k_rope+q_heads+q_norm+q_rope" from "q_rope", "k_rope"
        %kv1 = kv_write(%kv, %kr, %k, %b) : kv<f16[1,4]>
        %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,4]
        return %a
      })");
}

TEST(FuseQkNormRope, LeavesHeadsThatAreUsedElsewhere) {
  ExpectRefusal(MakeFuseQkNormRope(), With("", "return %a", "return %a, %qh"),
                "between reshape and rope is used elsewhere");
  ExpectRefusal(MakeFuseQkNormRope(), With("", "return %a", "return %a, %kh"),
                "between reshape and rope is used elsewhere");
}

TEST(FuseQkNormRope, LeavesNormedHeadsThatAreUsedElsewhere) {
  ExpectRefusal(MakeFuseQkNormRope(), With("", "return %a", "return %a, %qn"),
                "between reshape and rope is used elsewhere");
  ExpectRefusal(MakeFuseQkNormRope(), With("", "return %a", "return %a, %kn"),
                "between reshape and rope is used elsewhere");
}

TEST(FuseQkNormRope, LeavesNormsThatDiffer) {
  ExpectRefusal(MakeFuseQkNormRope(), With("%kn =", "eps = 1e-06", "eps = 1e-05"),
                "the norms differ in eps");
}

TEST(FuseQkNormRope, LeavesRotationsThatDiffer) {
  ExpectRefusal(MakeFuseQkNormRope(), With("%kr =", "base = 1e+06", "base = 10000.0"),
                "the rotations differ");
}

TEST(FuseQkNormRope, LeavesBatchesThatDiffer) {
  std::string two = With("", "%b: batch", "%b: batch, %c: batch");
  two.replace(two.find("rope(%kn, %b)"), 13, "rope(%kn, %c)");
  ExpectRefusal(MakeFuseQkNormRope(), two, "the batches differ");
}

TEST(FuseQkNormRope, LeavesHeadsWithoutANormOrARope) {
  ExpectRefusal(MakeFuseQkNormRope(), With("%qr =", "rope(%qn", "rope(%qh"),
                "q is not normed and rotated heads");
  ExpectRefusal(MakeFuseQkNormRope(), With("", "kv_write(%kv, %kr", "kv_write(%kv, %kn"),
                "k is not normed and rotated heads");
}

// Norms over other rows than heads of the rope: rows that are heads from the start.
TEST(FuseQkNormRope, LeavesWhatTheOpDoesNotTake) {
  std::string heads = With("", "%k: f32[T,8]", "%k: f32[T,4,2]");
  ExpectRefusal(MakeFuseQkNormRope(), heads, "k must be f32[T,heads * 4], found f32[T,4,2]");
}

TEST(FuseQkNormRope, LeavesAQueryThatIsTheKey) {
  std::string text = With("", "attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,16]",
                          "attention(%kr, %kv1, %b) {scale = 0.5} : f32[T,8]");
  ExpectRefusal(MakeFuseQkNormRope(), text, "q and k are one value");
}

// Something needs the rotated q to compute k.
TEST(FuseQkNormRope, LeavesAKeyThatNeedsTheQuery) {
  std::string text = With("", "%kh = reshape(%k)",
                          "%f = reshape(%qr) {dims = [0,16]} : f32[T,16]\n"
                          "      %s = slice_columns(%f) {begin = 0, columns = 8} : f32[T,8]\n"
                          "      %kh = reshape(%s)");
  ExpectRefusal(MakeFuseQkNormRope(), text, "one is read before the other is computed");
}

TEST(FuseQkNormRope, LeavesAnAttentionToAnEarlierCall) {
  std::string text = With("", "%kv1 = kv_write(%kv,",
                          "%other = kv_state() {id = 1} : kv<f16[2,4]>\n"
                          "      %kv1 = kv_write(%other,");
  text.replace(text.find("%qr, %kv1"), 9, "%qr, %kv");
  ExpectUnchanged(MakeFuseQkNormRope(), text);
}

}  // namespace
}  // namespace infer
