// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "passes/passes.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::ExpectError;
using test::ExpectRewrite;
using test::RunPass;
using test::TestMachine;

constexpr std::string_view kImported = R"(
    graph @g stage(imported) (%x: f32[T,8]) {
      %y = silu(%x) : f32[T,8]
      return %y
    })";

TEST(BindShapes, GivesEverySymbolItsRange) {
  ExpectRewrite(MakeBindShapes(), kImported, R"(
      graph @g stage(bound) symbols(T = 1..8, R = 1..2, S = 1..32) (%x: f32[T,8]) {
        %y = silu(%x) : f32[T,8]
        return %y
      })");
}

TEST(BindShapes, KeepsTheSymbolsInTheShapes) {
  Graph graph = RunPass(MakeBindShapes(), kImported);
  EXPECT_TRUE(graph.results()[0].type().dim(0).is_symbol());
}

TEST(BindShapes, ReplacesRangesThatTheGraphHas) {
  Graph graph = RunPass(MakeBindShapes(), R"(
      graph @g stage(imported) symbols(T = 3..4) (%x: f32[T,8]) {
        %y = silu(%x) : f32[T,8]
        return %y
      })");
  EXPECT_EQ(graph.symbols(), TestMachine().symbols);
}

TEST(BindShapes, IsNoChangeIfTheRangesAreThereAlready) {
  test::ExpectUnchanged(MakeBindShapes(), R"(
      graph @g stage(imported) symbols(T = 1..8, R = 1..2, S = 1..32) (%x: f32[T,8]) {
        %y = silu(%x) : f32[T,8]
        return %y
      })");
}

TEST(BindShapes, RefusesARangeThatStartsBelowOne) {
  TestMachine machine;
  machine.symbols[Symbol::kT] = {0, 8};
  ExpectError(MakeBindShapes(), kImported, "the range of T is 0 to 8", machine);
}

TEST(BindShapes, RefusesARangeThatIsNotSet) {
  TestMachine machine;
  machine.symbols[Symbol::kS] = {};
  ExpectError(MakeBindShapes(), kImported, "the range of S is 0 to 0", machine);
}

TEST(BindShapes, RefusesAnEmptyRange) {
  TestMachine machine;
  machine.symbols[Symbol::kR] = {2, 1};
  ExpectError(MakeBindShapes(), kImported, "the range of R is 2 to 1", machine);
}

TEST(BindShapes, RefusesMoreRowsOfLogitsThanTokens) {
  TestMachine machine;
  machine.symbols[Symbol::kR] = {1, 9};
  ExpectError(MakeBindShapes(), kImported, "R is up to 9 but T only up to 8", machine);
}

}  // namespace
}  // namespace infer
