// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"
#include "tests/support/graph_test.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::ExpectRefusal;
using test::ExpectRewrite;
using test::ExpectSameNumbers;
using test::ExpectUnchanged;

// Weights of three types; the third is declared after the first projection, whose result is read
// before the others are computed.
constexpr std::string_view kProjections = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
      %wq = weight() {name = "q"} : q8_0[6,32]
      %wk = weight() {name = "k"} : f16[2,32]
      %q = linear(%x, %wq) : f32[T,6] in "layer.0/q_proj"
      %a = silu(%q) : f32[T,6]
      %k = linear(%x, %wk) : f32[T,2] in "layer.0/k_proj"
      %wv = weight() {name = "v"} : f32[2,32]
      %v = linear(%x, %wv) : f32[T,2] in "layer.0/v_proj"
      %s = add(%k, %v) : f32[T,2]
      return %a, %s, %v
    })";

TEST(FuseProjections, JoinsAllProjectionsOfAValueWhereTheFirstStands) {
  ExpectRewrite(MakeFuseProjections(), kProjections, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32]) {
        %wq = weight() {name = "q"} : q8_0[6,32]
        %wk = weight() {name = "k"} : f16[2,32]
        %wv = weight() {name = "v"} : f32[2,32]
        %q, %k, %v = multi_linear(%x, %wq, %wk, %wv) : f32[T,6], f32[T,2], f32[T,2] in "layer.0/q_proj+k_proj+v_proj" from "layer.0/q_proj", "layer.0/k_proj", "layer.0/v_proj"
        %a = silu(%q) : f32[T,6]
        %s = add(%k, %v) : f32[T,2]
        return %a, %s, %v
      })");
}

TEST(FuseProjections, KeepsTheNumbers) { ExpectSameNumbers(MakeFuseProjections(), kProjections); }

// Both groups share a weight node that stands behind both: it moves once.
TEST(FuseProjections, JoinsEachValuesProjectionsApart) {
  ExpectRewrite(MakeFuseProjections(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %y: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %a = linear(%x, %w) : f32[T,4]
        %b = linear(%y, %w) : f32[T,4]
        %u = weight() {name = "u"} : f32[4,8]
        %c = linear(%y, %u) : f32[T,4]
        %d = linear(%x, %u) : f32[T,4]
        return %a, %b, %c, %d
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %y: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %u = weight() {name = "u"} : f32[4,8]
        %a, %d = multi_linear(%x, %w, %u) : f32[T,4], f32[T,4]
        %b, %c = multi_linear(%y, %w, %u) : f32[T,4], f32[T,4]
        return %a, %b, %c, %d
      })");
}

// The second projection reads the first: they have no input in common.
TEST(FuseProjections, LeavesAChain) {
  ExpectUnchanged(MakeFuseProjections(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
        %w = weight() {name = "w"} : f32[8,8]
        %a = linear(%x, %w) : f32[T,8]
        %b = linear(%a, %w) : f32[T,8]
        return %b
      })");
}

TEST(FuseProjections, LeavesASingleProjection) {
  ExpectUnchanged(MakeFuseProjections(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %a = linear(%x, %w) : f32[T,4]
        %s = silu(%x) : f32[T,8]
        return %a, %s
      })");
}

// The second weight is not known where the fused node would stand.
TEST(FuseProjections, LeavesAComputedWeight) {
  ExpectRefusal(MakeFuseProjections(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %m: f32[4,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %a = linear(%x, %w) : f32[T,4]
        %u = scale(%m) {factor = 2.0} : f32[4,8]
        %b = linear(%x, %u) : f32[T,4]
        return %a, %b
      })",
                "its weight is computed");
}

TEST(FuseProjections, JoinsWhatIsLeftBesideAComputedWeight) {
  ExpectRewrite(MakeFuseProjections(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %m: f32[4,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %a = linear(%x, %m) : f32[T,4]
        %b = linear(%x, %w) : f32[T,4]
        %c = linear(%x, %w) : f32[T,4]
        return %a, %b, %c
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %m: f32[4,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %a = linear(%x, %m) : f32[T,4]
        %b, %c = multi_linear(%x, %w, %w) : f32[T,4], f32[T,4]
        return %a, %b, %c
      })");
}

}  // namespace
}  // namespace infer
