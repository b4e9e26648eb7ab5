// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"
#include "tests/support/graph_test.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using testing::ExpectRefusal;
using testing::ExpectRewrite;
using testing::ExpectSameNumbers;
using testing::ExpectUnchanged;

// The residual is computed after the projection: the fused node must stand where add did.
constexpr std::string_view kResidual = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32], %h: f32[T,4]) {
      %w = weight() {name = "w"} : q8_0[4,32]
      %p = linear(%x, %w) : f32[T,4] in "layer.0/attn/o_proj"
      %r = silu(%h) : f32[T,4]
      %y = add(%r, %p) : f32[T,4] in "layer.0/attn/residual"
      return %y
    })";

TEST(FuseResidual, LetsTheProjectionAdd) {
  ExpectRewrite(MakeFuseResidual(), kResidual, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,32], %h: f32[T,4]) {
        %w = weight() {name = "w"} : q8_0[4,32]
        %r = silu(%h) : f32[T,4]
        %y = linear_add(%x, %w, %r) : f32[T,4] in "layer.0/attn/o_proj+residual" from "layer.0/attn/residual"
        return %y
      })");
}

TEST(FuseResidual, KeepsTheNumbers) { ExpectSameNumbers(MakeFuseResidual(), kResidual); }

TEST(FuseResidual, TakesTheOperandsInEitherOrder) {
  ExpectRewrite(MakeFuseResidual(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %r: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4,8]
        %p = linear(%x, %w) : f32[T,4]
        %y = add(%p, %r) : f32[T,4]
        return %y
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %r: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4,8]
        %y = linear_add(%x, %w, %r) : f32[T,4]
        return %y
      })");
}

// The sum of two projections: one stays as the other's residual.
TEST(FuseResidual, TakesOneOfTwoProjections) {
  ExpectRewrite(MakeFuseResidual(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %z: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %p = linear(%x, %w) : f32[T,4]
        %q = linear(%z, %w) : f32[T,4]
        %y = add(%p, %q) : f32[T,4]
        return %y, %p
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %z: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %p = linear(%x, %w) : f32[T,4]
        %y = linear_add(%z, %w, %p) : f32[T,4]
        return %y, %p
      })");
}

TEST(FuseResidual, LeavesAProjectionThatIsUsedElsewhere) {
  ExpectRefusal(MakeFuseResidual(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %r: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4,8]
        %p = linear(%x, %w) : f32[T,4]
        %y = add(%r, %p) : f32[T,4]
        %z = mul(%y, %p) : f32[T,4]
        return %z
      })",
                "the projection is used elsewhere");
}

TEST(FuseResidual, LeavesAProjectionThatIsAResult) {
  ExpectRefusal(MakeFuseResidual(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %r: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4,8]
        %p = linear(%x, %w) : f32[T,4]
        %y = add(%r, %p) : f32[T,4]
        return %p, %y
      })",
                "the projection is used elsewhere");
}

TEST(FuseResidual, LeavesABias) {
  ExpectRefusal(MakeFuseResidual(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %bias = weight() {name = "b"} : f32[4]
        %p = linear(%x, %w) : f32[T,4]
        %y = add(%p, %bias) : f32[T,4]
        return %y
      })",
                "the sum broadcasts");
}

TEST(FuseResidual, LeavesOtherSums) {
  ExpectUnchanged(MakeFuseResidual(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,8], %r: f32[T,8]) {
        %w = weight() {name = "w"} : f32[4,8]
        %s = add(%x, %r) : f32[T,8]
        %p = linear(%s, %w) : f32[T,4]
        return %p
      })");
}

}  // namespace
}  // namespace infer
