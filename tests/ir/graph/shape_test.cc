// SPDX-License-Identifier: Apache-2.0
#include "ir/graph/shape.h"

#include <gtest/gtest.h>

namespace infer {
namespace {

TEST(Shape, PrintsSymbolsAndNumbers) {
  EXPECT_EQ(ToString(Shape{Symbol::kT, 1024}), "[T,1024]");
  EXPECT_EQ(ToString(Shape{}), "[]");
  EXPECT_EQ(ToString(Dim(Symbol::kS)), "S");
}

TEST(Shape, SymbolsAreFoundByName) {
  for (Symbol symbol : kAllSymbols) EXPECT_EQ(FindSymbol(Name(symbol)), symbol);
  EXPECT_EQ(FindSymbol("t"), std::nullopt);
}

TEST(Shape, NegativeAxesCountFromTheEnd) {
  Shape shape = {Symbol::kR, 2, 3};
  EXPECT_EQ(shape.dim(-1), Dim(3));
  EXPECT_EQ(shape.dim(-3), Dim(Symbol::kR));
  shape.set_dim(-2, Symbol::kS);
  EXPECT_EQ(shape, (Shape{Symbol::kR, Symbol::kS, 3}));
  EXPECT_TRUE(shape.Uses(Symbol::kS));
  EXPECT_FALSE(shape.Uses(Symbol::kT));
}

TEST(Shape, DimsAreBoundByACall) {
  SymbolValues values = {.t = 5, .r = 2, .s = 100};
  EXPECT_EQ(Dim(Symbol::kT).At(values), 5);
  EXPECT_EQ(Dim(Symbol::kR).At(values), 2);
  EXPECT_EQ(Dim(Symbol::kS).At(values), 100);
  EXPECT_EQ(Dim(7).At(values), 7);
}

TEST(Shape, RangesGiveTheirEnds) {
  SymbolRanges ranges;
  EXPECT_FALSE(ranges[Symbol::kT].is_set());
  ranges[Symbol::kT] = {2, 8};
  ranges[Symbol::kS] = {1, 64};
  EXPECT_EQ(ranges.Lowest().t, 2);
  EXPECT_EQ(ranges.Highest().s, 64);
  EXPECT_TRUE(ranges[Symbol::kT].Contains(8));
  EXPECT_FALSE(ranges[Symbol::kT].Contains(9));
}

TEST(CountElements, HasOneTermPerKindOfShape) {
  EXPECT_EQ(CountElements({2, 3}), (SymbolicCount{.c0 = 6}));
  EXPECT_EQ(CountElements({Symbol::kT, 3}), (SymbolicCount{.ct = 3}));
  EXPECT_EQ(CountElements({3, Symbol::kR}), (SymbolicCount{.cr = 3}));
  EXPECT_EQ(CountElements({Symbol::kS, 2, 2}), (SymbolicCount{.cs = 4}));
  EXPECT_EQ(CountElements({Symbol::kT, Symbol::kS}), (SymbolicCount{.cts = 1}));
  EXPECT_EQ(CountElements({}), (SymbolicCount{.c0 = 1}));
}

TEST(CountElements, OtherProductsHaveNoCount) {
  EXPECT_EQ(CountElements({Symbol::kT, Symbol::kT}), std::nullopt);
  EXPECT_EQ(CountElements({Symbol::kR, Symbol::kS}), std::nullopt);
}

TEST(SymbolicCount, IsEvaluatedAndCombined) {
  SymbolicCount count = {.c0 = 1, .ct = 10, .cr = 100, .cs = 1000, .cts = 0.5};
  EXPECT_EQ(count.At({.t = 2, .r = 3, .s = 4}), 1 + 20 + 300 + 4000 + 4);
  EXPECT_EQ((2 * count + count).At({.t = 2, .r = 3, .s = 4}), 3 * 4325);
}

TEST(SymbolicCount, PairsOfATokenAndItsOwnSequenceAreDividedAmongSequences) {
  const SymbolicCount all = {.cts = 3}, own = {.ctsn = 3};
  EXPECT_EQ(own.At({.t = 8, .s = 4096}), all.At({.t = 8, .s = 4096}));
  EXPECT_EQ(own.At({.t = 8, .s = 4096, .sequences = 8}), 3 * 8 * 512);
  EXPECT_EQ(all.At({.t = 8, .s = 4096, .sequences = 8}), 3 * 8 * 4096);
  EXPECT_EQ((2 * own + own).At({.t = 8, .s = 4096, .sequences = 8}), 3 * 3 * 8 * 512);
}

}  // namespace
}  // namespace infer
