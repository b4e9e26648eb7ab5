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

// The sum is read before the norm, by the norm and after it, and the norm's weight comes late.
constexpr std::string_view kAddNorm = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
      %s = add(%x, %y) : f32[T,4] in "layer.0/residual"
      %e = silu(%s) : f32[T,4]
      %w = weight() {name = "n"} : f32[4]
      %n = rms_norm(%s, %w) {eps = 1e-06} : f32[T,4] in "layer.1/norm"
      %z = mul(%n, %e) : f32[T,4]
      %l = add(%z, %s) : f32[T,4]
      return %l
    })";

TEST(FuseAddRmsNorm, KeepsTheSumForItsOtherReaders) {
  ExpectRewrite(MakeFuseAddRmsNorm(), kAddNorm, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %s, %n = add_rms_norm(%x, %y, %w) {eps = 1e-06} : f32[T,4], f32[T,4] in "layer.0/residual+layer.1/norm" from "layer.0/residual", "layer.1/norm"
        %e = silu(%s) : f32[T,4]
        %z = mul(%n, %e) : f32[T,4]
        %l = add(%z, %s) : f32[T,4]
        return %l
      })");
}

TEST(FuseAddRmsNorm, KeepsTheNumbers) { ExpectSameNumbers(MakeFuseAddRmsNorm(), kAddNorm); }

TEST(FuseAddRmsNorm, TakesASumThatIsAResult) {
  ExpectRewrite(MakeFuseAddRmsNorm(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %s = add(%x, %y) : f32[T,4]
        %n = rms_norm(%s, %w) {eps = 1e-06} : f32[T,4]
        return %s, %n
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %s, %n = add_rms_norm(%x, %y, %w) {eps = 1e-06} : f32[T,4], f32[T,4]
        return %s, %n
      })");
}

// A second norm reads the first result like any other reader.
TEST(FuseAddRmsNorm, TakesTheFirstOfTwoNorms) {
  ExpectRewrite(MakeFuseAddRmsNorm(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %s = add(%x, %y) : f32[T,4]
        %n = rms_norm(%s, %w) {eps = 1e-06} : f32[T,4]
        %m = rms_norm(%s, %w) {eps = 0.5} : f32[T,4]
        return %n, %m
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %s, %n = add_rms_norm(%x, %y, %w) {eps = 1e-06} : f32[T,4], f32[T,4]
        %m = rms_norm(%s, %w) {eps = 0.5} : f32[T,4]
        return %n, %m
      })");
}

TEST(FuseAddRmsNorm, LeavesASumWithAVector) {
  ExpectRefusal(MakeFuseAddRmsNorm(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[4]) {
        %w = weight() {name = "n"} : f32[4]
        %s = add(%x, %y) : f32[T,4]
        %n = rms_norm(%s, %w) {eps = 1e-06} : f32[T,4]
        return %n
      })",
                "the sum broadcasts");
}

// It may not be there yet where add stands.
TEST(FuseAddRmsNorm, LeavesANormWithAComputedWeight) {
  ExpectRefusal(MakeFuseAddRmsNorm(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4], %v: f32[4]) {
        %s = add(%x, %y) : f32[T,4]
        %w = scale(%v) {factor = 2.0} : f32[4]
        %n = rms_norm(%s, %w) {eps = 1e-06} : f32[T,4]
        return %n
      })",
                "its weight is computed");
}

TEST(FuseAddRmsNorm, LeavesOtherNorms) {
  ExpectUnchanged(MakeFuseAddRmsNorm(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %w = weight() {name = "n"} : f32[4]
        %n = rms_norm(%x, %w) {eps = 1e-06} : f32[T,4]
        %s = add(%n, %y) : f32[T,4]
        return %s
      })");
}

}  // namespace
}  // namespace infer
