// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::ExpectRewrite;
using test::ExpectSameNumbers;
using test::ExpectUnchanged;

constexpr std::string_view kDeadBranch = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
      %w = weight() {name = "w"} : f32[4,4]
      %a = silu(%x) : f32[T,4]
      %b = linear(%a, %w) : f32[T,4]
      %c = silu(%b) : f32[T,4]
      return %a
    })";

TEST(RemoveDeadNodes, RemovesABranchWithItsWeights) {
  ExpectRewrite(MakeRemoveDeadNodes(), kDeadBranch, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4]
        return %a
      })");
}

TEST(RemoveDeadNodes, ChangesNoNumber) { ExpectSameNumbers(MakeRemoveDeadNodes(), kDeadBranch); }

TEST(RemoveDeadNodes, KeepsInputsThatNothingReads) {
  ExpectUnchanged(MakeRemoveDeadNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %unused: f32[T,4], %b: batch) {
        %a = silu(%x) : f32[T,4]
        return %a
      })");
}

TEST(RemoveDeadNodes, KeepsACacheWriteThatNothingReads) {
  constexpr std::string_view kWrite = R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %v = silu(%x) : f32[T,4]
        %new = kv_write(%kv, %x, %v, %b) : kv<f16[1,4]>
        return %x
      })";
  ExpectUnchanged(MakeRemoveDeadNodes(), kWrite);
  ExpectSameNumbers(MakeRemoveDeadNodes(), kWrite);
}

TEST(RemoveDeadNodes, KeepsAStateThatNothingReads) {
  ExpectUnchanged(MakeRemoveDeadNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %kv = kv_state() {id = 0} : kv<f16[1,4]>
        %a = silu(%x) : f32[T,4]
        return %a
      })");
}

TEST(RemoveDeadNodes, KeepsANodeOfWhichOneResultIsUsed) {
  ExpectUnchanged(MakeRemoveDeadNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %token, %p = argmax(%x) : i32[T], f32[T]
        return %p
      })");
}

TEST(RemoveDeadNodes, RemovesANodeOfWhichNoResultIsUsed) {
  ExpectRewrite(MakeRemoveDeadNodes(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %token, %p = argmax(%x) : i32[T], f32[T]
        return %x
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        return %x
      })");
}

}  // namespace
}  // namespace infer
