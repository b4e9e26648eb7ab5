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

constexpr std::string_view kGated = R"(
    graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
      %s = silu(%gate) : f32[T,4] in "layer.0/ffn/silu"
      %y = mul(%s, %up) : f32[T,4] in "layer.0/ffn/gated"
      return %y
    })";

TEST(FuseSwiglu, JoinsTheGateWithItsProduct) {
  ExpectRewrite(MakeFuseSwiglu(), kGated, R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
        %y = swiglu(%gate, %up) : f32[T,4] in "layer.0/ffn/silu+gated" from "layer.0/ffn/gated"
        return %y
      })");
}

TEST(FuseSwiglu, KeepsTheNumbers) { ExpectSameNumbers(MakeFuseSwiglu(), kGated); }

TEST(FuseSwiglu, TakesTheOperandsInEitherOrder) {
  ExpectRewrite(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
        %s = silu(%gate) : f32[T,4]
        %y = mul(%up, %s) : f32[T,4]
        return %y
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
        %y = swiglu(%gate, %up) : f32[T,4]
        return %y
      })");
}

// The second silu is the only one that nothing else reads.
TEST(FuseSwiglu, TakesTheSiluThatCanDisappear) {
  ExpectRewrite(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%a: f32[T,4], %b: f32[T,4]) {
        %s = silu(%a) : f32[T,4]
        %t = silu(%b) : f32[T,4]
        %y = mul(%s, %t) : f32[T,4]
        return %y, %s
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%a: f32[T,4], %b: f32[T,4]) {
        %s = silu(%a) : f32[T,4]
        %y = swiglu(%b, %s) : f32[T,4]
        return %y, %s
      })");
}

TEST(FuseSwiglu, LeavesASiluThatIsUsedElsewhere) {
  ExpectRefusal(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
        %s = silu(%gate) : f32[T,4]
        %y = mul(%s, %up) : f32[T,4]
        %z = add(%y, %s) : f32[T,4]
        return %z
      })",
                "the silu is used elsewhere");
}

TEST(FuseSwiglu, LeavesASiluThatIsAResult) {
  ExpectRefusal(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
        %s = silu(%gate) : f32[T,4]
        %y = mul(%s, %up) : f32[T,4]
        return %y, %s
      })",
                "the silu is used elsewhere");
}

TEST(FuseSwiglu, LeavesASquare) {
  ExpectRefusal(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4]) {
        %s = silu(%gate) : f32[T,4]
        %y = mul(%s, %s) : f32[T,4]
        return %y
      })",
                "the silu is used elsewhere");
}

TEST(FuseSwiglu, LeavesAProductWithAVector) {
  ExpectRefusal(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[4]) {
        %s = silu(%gate) : f32[T,4]
        %y = mul(%s, %up) : f32[T,4]
        return %y
      })",
                "the product broadcasts");
}

TEST(FuseSwiglu, LeavesOtherProducts) {
  ExpectUnchanged(MakeFuseSwiglu(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%gate: f32[T,4], %up: f32[T,4]) {
        %y = mul(%gate, %up) : f32[T,4]
        %s = silu(%y) : f32[T,4]
        return %s
      })");
}

}  // namespace
}  // namespace infer
