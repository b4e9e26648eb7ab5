// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"
#include "tests/support/same_numbers.h"

namespace infer {
namespace {

using test::ExpectRewrite;
using test::ExpectSameNumbers;
using test::ExpectUnchanged;

constexpr std::string_view kTwice = R"(
    graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
      %a = silu(%x) : f32[T,4] in "gate"
      %b = silu(%x) : f32[T,4] in "up"
      %y = mul(%a, %b) : f32[T,4] in "product"
      return %y
    })";

TEST(MergeDuplicates, KeepsTheFirstWithTheOthersScope) {
  ExpectRewrite(MakeMergeDuplicates(), kTwice, R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4] in "gate+up"
        %y = mul(%a, %a) : f32[T,4] in "product"
        return %y
      })");
}

TEST(MergeDuplicates, ChangesNoNumber) { ExpectSameNumbers(MakeMergeDuplicates(), kTwice); }

TEST(MergeDuplicates, MergesWhatReadsEqualNodes) {
  ExpectRewrite(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4,4]
        %a = linear(%x, %w) : f32[T,4]
        %v = weight() {name = "w"} : f32[4,4]
        %b = linear(%x, %v) : f32[T,4]
        %c = silu(%a) : f32[T,4]
        %d = silu(%b) : f32[T,4]
        %y = mul(%c, %d) : f32[T,4]
        return %y
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %w = weight() {name = "w"} : f32[4,4]
        %a = linear(%x, %w) : f32[T,4]
        %c = silu(%a) : f32[T,4]
        %y = mul(%c, %c) : f32[T,4]
        return %y
      })");
}

TEST(MergeDuplicates, ReplacesADuplicateThatIsAResultOfTheGraph) {
  ExpectRewrite(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4]
        %b = silu(%x) : f32[T,4]
        return %b, %a
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4]
        return %a, %a
      })");
}

TEST(MergeDuplicates, TakesTheOriginOnlyIfTheFirstHasNone) {
  ExpectRewrite(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4] in "fused" from none
        %b = silu(%x) : f32[T,4] in "act"
        %y = mul(%a, %b) : f32[T,4]
        return %y
      })",
                R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = silu(%x) : f32[T,4] in "fused+act" from "act"
        %y = mul(%a, %a) : f32[T,4]
        return %y
      })");
}

// Both reads see the cache as it was before the call, so they see the same.
constexpr std::string_view kReads = R"(
    graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,4], %b: batch) {
      %kv = kv_state() {id = 0} : kv<f32[1,4]>
      %k0, %v0 = kv_read(%kv, %b) : f32[S,4], f32[S,4]
      %k1, %v1 = kv_read(%kv, %b) : f32[S,4], f32[S,4]
      %s = add(%k0, %v1) : f32[S,4]
      return %s
    })";

TEST(MergeDuplicates, MergesReadsOfOneCacheValue) {
  ExpectRewrite(MakeMergeDuplicates(), kReads, R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f32[1,4]>
        %k0, %v0 = kv_read(%kv, %b) : f32[S,4], f32[S,4]
        %s = add(%k0, %v0) : f32[S,4]
        return %s
      })");
  ExpectSameNumbers(MakeMergeDuplicates(), kReads);
}

TEST(MergeDuplicates, KeepsReadsApartThatAWriteSeparates) {
  constexpr std::string_view kWriteBetween = R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f32[1,4]>
        %k0, %v0 = kv_read(%kv, %b) : f32[S,4], f32[S,4]
        %new = kv_write(%kv, %x, %x, %b) : kv<f32[1,4]>
        %k1, %v1 = kv_read(%new, %b) : f32[S,4], f32[S,4]
        %s = add(%k0, %k1) : f32[S,4]
        return %s
      })";
  ExpectUnchanged(MakeMergeDuplicates(), kWriteBetween);
}

TEST(MergeDuplicates, KeepsTwoEqualWrites) {
  ExpectUnchanged(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8, S = 1..32) (%x: f32[T,4], %b: batch) {
        %kv = kv_state() {id = 0} : kv<f32[1,4]>
        %one = kv_write(%kv, %x, %x, %b) : kv<f32[1,4]>
        %two = kv_write(%one, %x, %x, %b) : kv<f32[1,4]>
        return %x
      })");
}

TEST(MergeDuplicates, KeepsInputsOfOneType) {
  ExpectUnchanged(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %s = add(%x, %y) : f32[T,4]
        return %s
      })");
}

TEST(MergeDuplicates, KeepsNodesWithOtherAttributes) {
  ExpectUnchanged(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4]) {
        %a = scale(%x) {factor = 0.0} : f32[T,4]
        %b = scale(%x) {factor = -0.0} : f32[T,4]
        %y = mul(%a, %b) : f32[T,4]
        return %y
      })");
}

TEST(MergeDuplicates, KeepsNodesWithTheirInputsTheOtherWayRound) {
  ExpectUnchanged(MakeMergeDuplicates(), R"(
      graph @g stage(bound) symbols(T = 1..8) (%x: f32[T,4], %y: f32[T,4]) {
        %a = add(%x, %y) : f32[T,4]
        %b = add(%y, %x) : f32[T,4]
        %z = mul(%a, %b) : f32[T,4]
        return %z
      })");
}

}  // namespace
}  // namespace infer
