// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectUnchanged;
using test::RuleFor;
using test::TestMachine;

// A GPU that runs these ops, and scalar for the rest.
TestMachine Gpu(std::initializer_list<std::string_view> ops) {
  TestMachine machine;
  machine.policy.rules = {RuleFor("all", {Target::kCuda, Target::kScalar})};
  for (std::string_view op : ops) machine.catalog.Add(op, Target::kCuda);
  return machine;
}

constexpr std::string_view kResidual = R"(
    graph @g stage(bound) symbols(T = 1..8) (%a: f32[T,16], %x: f32[T,8]) {
      %w = weight() {name = "w"} : f32[8,16]
      %n = weight() {name = "n"} : f32[8]
      %y = linear(%a, %w) : f32[T,8] in "o_proj"
      %s, %m = add_rms_norm(%x, %y, %n) {eps = 1e-06} : f32[T,8], f32[T,8] in "add+norm" from "add", "norm"
      return %s, %m
    })";

TEST(FuseForTarget, LetsTheProjectionAddTheResidual) {
  ExpectRewrite(MakeFuseForTarget(), kResidual, R"(
      graph @g stage(bound) symbols(T = 1..8) (%a: f32[T,16], %x: f32[T,8]) {
        %w = weight() {name = "w"} : f32[8,16]
        %n = weight() {name = "n"} : f32[8]
        %s = linear_add(%a, %w, %x) : f32[T,8] in "o_proj+add+norm" from "add"
        %m = rms_norm(%s, %n) {eps = 1e-06} : f32[T,8] in "add+norm" from "norm"
        return %s, %m
      })",
                Gpu({"linear", "add_rms_norm", "linear_add", "rms_norm"}));
}

constexpr std::string_view kSwiglu = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
      %n = weight() {name = "n"} : f32[8]
      %v = weight() {name = "v"} : f32[16,8]
      %w = weight() {name = "w"} : f32[16,8]
      %m = rms_norm(%x, %n) {eps = 1e-06} : f32[T,8] in "norm"
      %p, %q = multi_linear(%m, %v, %w) : f32[T,16], f32[T,16] in "gate+up" from "gate", "up"
      %r = swiglu(%p, %q) : f32[T,16] in "swiglu"
      return %r
    })";

TEST(FuseForTarget, JoinsNormGateUpAndSwiglu) {
  ExpectRewrite(MakeFuseForTarget(), kSwiglu, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
        %n = weight() {name = "n"} : f32[8]
        %v = weight() {name = "v"} : f32[16,8]
        %w = weight() {name = "w"} : f32[16,8]
        %r = norm_swiglu(%x, %n, %v, %w) {eps = 1e-06} : f32[T,16] in "norm+gate+up+swiglu" from "swiglu"
        return %r
      })",
                Gpu({"rms_norm", "multi_linear", "swiglu", "norm_linear", "norm_swiglu"}));
}

TEST(FuseForTarget, JoinsNormAndProjections) {
  ExpectRewrite(MakeFuseForTarget(), kSwiglu, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
        %n = weight() {name = "n"} : f32[8]
        %v = weight() {name = "v"} : f32[16,8]
        %w = weight() {name = "w"} : f32[16,8]
        %p, %q = norm_linear(%x, %n, %v, %w) {eps = 1e-06} : f32[T,16], f32[T,16] in "norm+gate+up" from "gate", "up"
        %r = swiglu(%p, %q) : f32[T,16] in "swiglu"
        return %r
      })",
                Gpu({"rms_norm", "multi_linear", "swiglu", "norm_linear"}));
}

constexpr std::string_view kHeadsGraph = R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %v: f32[T,8], %b: batch) {
      %w = weight() {name = "norm"} : f32[4]
      %kv = kv_state() {id = 0} : kv<f16[2,4]>
      %kv1, %qr = attention_inputs(%kv, %q, %k, %v, %w, %w, %b) {eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,4,4] in "heads" from "kv_write", "q_rope"
      %a = attention(%qr, %kv1, %b) {scale = 0.5} : f32[T,16] in "attention"
      return %a
    })";

TEST(FuseForTarget, JoinsAttentionAndItsInputs) {
  ExpectRewrite(MakeFuseForTarget(), kHeadsGraph, R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%q: f32[T,16], %k: f32[T,8], %v: f32[T,8], %b: batch) {
        %w = weight() {name = "norm"} : f32[4]
        %kv = kv_state() {id = 0} : kv<f16[2,4]>
        %kv1, %a = self_attention(%kv, %q, %k, %v, %w, %w, %b) {scale = 0.5, eps = 1e-06, base = 1e+06, freq_scale = 1.0, ext_factor = 0.0, attn_factor = 1.0, beta_fast = 32.0, beta_slow = 1.0, original_context = 0} : kv<f16[2,4]>, f32[T,16] in "heads+attention" from "kv_write", "attention"
        return %a
      })",
                Gpu({"attention_inputs", "attention", "self_attention"}));
}

TEST(FuseForTarget, LeavesNeighboursOfOtherTargets) {
  ExpectRefusal(MakeFuseForTarget(), kSwiglu, "another target",
                Gpu({"multi_linear", "norm_linear"}));
}

TEST(FuseForTarget, LeavesWhatNoTargetRunsWhole) {
  for (std::string_view graph : {kResidual, kSwiglu, kHeadsGraph}) {
    ExpectUnchanged(MakeFuseForTarget(), graph);
  }
}

TEST(FuseForTarget, LeavesValuesThatAreUsedElsewhere) {
  std::string text(kSwiglu);
  text.replace(text.find("return %r"), 9, "return %r, %m");
  ExpectUnchanged(MakeFuseForTarget(), text,
                  Gpu({"rms_norm", "multi_linear", "swiglu", "norm_linear", "norm_swiglu"}));
}

TEST(FuseForTarget, LeavesAGraphThatThePolicyWantsInParts) {
  TestMachine machine = Gpu({"attention_inputs", "attention", "self_attention"});
  machine.policy.composites = Policy::Composites::kDecompose;
  ExpectUnchanged(MakeFuseForTarget(), kHeadsGraph, machine);
}

}  // namespace
}  // namespace infer
