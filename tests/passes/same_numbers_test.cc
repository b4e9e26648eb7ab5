// SPDX-License-Identifier: Apache-2.0
//
// Whether ExpectSameNumbers can fail: what it is told to compare must decide its answer.
#include "tests/support/same_numbers.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include "passes/passes.h"

namespace infer {
namespace {

using test::ExpectSameNumbers;

constexpr std::string_view kLayer = R"(
    graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (%tokens: i32[T], %b: batch) {
      %table = weight() {name = "table"} : q8_0[9,32]
      %w = weight() {name = "w"} : f16[4,32]
      %kv = kv_state() {id = 0} : kv<f16[1,4]>
      %x = embed(%table, %tokens) : f32[T,32]
      %k = linear(%x, %w) : f32[T,4]
      %new = kv_write(%kv, %k, %k, %b) : kv<f16[1,4]>
      %q = reshape(%k) {dims = [0,1,4]} : f32[T,1,4]
      %a = attention(%q, %new, %b) {scale = 0.5} : f32[T,4]
      %r = select_rows(%a, %b) : f32[R,4]
      return %r
    })";

std::string Replaced(std::string_view from, std::string_view to) {
  std::string text(kLayer);
  return text.replace(text.find(from), from.size(), to);
}

TEST(SameNumbers, AreThoseOfTheSameGraph) {
  ExpectSameNumbers(kLayer, kLayer);
  ExpectSameNumbers(MakeLegalize(), kLayer);
}

TEST(SameNumbers, AreNotThoseOfAnotherConstant) {
  EXPECT_FATAL_FAILURE(ExpectSameNumbers(kLayer, Replaced("scale = 0.5", "scale = 0.75")),
                       "in a call with 1 tokens");
}

TEST(SameNumbers, AreNotThoseOfAnotherWeight) {
  EXPECT_FATAL_FAILURE(ExpectSameNumbers(kLayer, Replaced("\"w\"", "\"v\"")), "result 0");
}

constexpr std::string_view kWritesK = R"(
    graph @g stage(imported) (%k: f32[T,4], %v: f32[T,4], %b: batch) {
      %kv = kv_state() {id = 1} : kv<f32[2,2]>
      %new = kv_write(%kv, %k, %k, %b) : kv<f32[2,2]>
      return %k
    })";

constexpr std::string_view kWritesV = R"(
    graph @g stage(imported) (%k: f32[T,4], %v: f32[T,4], %b: batch) {
      %kv = kv_state() {id = 1} : kv<f32[2,2]>
      %new = kv_write(%kv, %k, %v, %b) : kv<f32[2,2]>
      return %k
    })";

TEST(SameNumbers, CountTheCaches) {
  ExpectSameNumbers(kWritesK, kWritesK);
  EXPECT_FATAL_FAILURE(ExpectSameNumbers(kWritesK, kWritesV), "values of state 1, element");
}

TEST(SameNumbers, MayDifferByTheTolerance) {
  std::string near = Replaced("scale = 0.5", "scale = 0.500001");
  ExpectSameNumbers(kLayer, near, {.tolerance = 1e-4});
  EXPECT_FATAL_FAILURE(
      ExpectSameNumbers(kLayer, Replaced("scale = 0.5", "scale = 0.6"), {.tolerance = 1e-5}),
      "result 0");
}

TEST(SameNumbers, MustBeAsMany) {
  EXPECT_FATAL_FAILURE(ExpectSameNumbers(kLayer, Replaced("return %r", "return %r, %x")),
                       "1 results before, 2 after");
}

}  // namespace
}  // namespace infer
