// SPDX-License-Identifier: Apache-2.0
#include "passes/invariant_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/ops/ops.h"
#include "tests/support/graph_test.h"

namespace infer {
namespace {

using test::GraphOf;
using test::RuleFor;
using test::TestMachine;
using ::testing::HasSubstr;

SymbolRanges Tokens(int64_t min, int64_t max) {
  SymbolRanges symbols;
  symbols[Symbol::kT] = {min, max};
  return symbols;
}

class InvariantCatalogTest : public ::testing::Test {
 protected:
  InvariantCatalogTest() {
    Rule few = RuleFor("few", {Target::kSimd, Target::kScalar});
    few.rows.max = 3;
    machine_.policy.rules = {few,
                             RuleFor("many", {Target::kParallel, Target::kSimd, Target::kScalar})};
    machine_.catalog.SetNumerics("linear", Target::kScalar, "exact")
        .SetNumerics("linear", Target::kSimd, "a")
        .SetNumerics("linear", Target::kParallel, "a");
  }
  KernelAnswer Find(Target target, Range tokens) {
    const InvariantCatalog catalog(machine_.catalog, machine_.policy,
                                   {Tokens(1, 3), Tokens(4, 512)});
    return catalog.Find(*graph_.NodesOf(ops::kLinear)[0], target, Tokens(tokens.min, tokens.max));
  }

  TestMachine machine_;
  Graph graph_ = GraphOf(R"(
      graph @g stage(bound) symbols(T = 1..512) (%x: f32[T,32]) {
        %w = weight() {name = "w"} : q8_0[6,32]
        %y = linear(%x, %w) : f32[T,6]
        return %y
      })");
};

TEST_F(InvariantCatalogTest, TargetsThatShareAClassAreAllOffered) {
  EXPECT_EQ(Find(Target::kSimd, {1, 3}).kernel->name, "linear_simd");
  EXPECT_EQ(Find(Target::kParallel, {4, 512}).kernel->name, "linear_parallel");
  EXPECT_EQ(Find(Target::kSimd, {4, 512}).kernel->name, "linear_simd");
}

TEST_F(InvariantCatalogTest, OtherClassesAreRejectedByName) {
  const KernelAnswer answer = Find(Target::kScalar, {1, 3});
  EXPECT_FALSE(answer.kernel);
  EXPECT_THAT(answer.reason, HasSubstr("linear_scalar computes \"exact\""));
  EXPECT_THAT(answer.reason, HasSubstr("\"a\""));
}

TEST_F(InvariantCatalogTest, TheClassIsOneThatEveryRegimeHas) {
  machine_.catalog.SetNumerics("linear", Target::kParallel, "fast")
      .SetNumerics("linear", Target::kSimd, "other");
  EXPECT_FALSE(Find(Target::kParallel, {4, 512}).kernel) << "few tokens do not have it";
  EXPECT_EQ(Find(Target::kSimd, {4, 512}).kernel->name, "linear_simd");
  EXPECT_EQ(Find(Target::kSimd, {1, 3}).kernel->name, "linear_simd");
  EXPECT_FALSE(Find(Target::kScalar, {1, 3}).kernel) << "the first of two";
}

TEST_F(InvariantCatalogTest, AKernelThatPromisesNothingIsRejected) {
  machine_.catalog.SetNumerics("linear", Target::kParallel, "");
  EXPECT_THAT(Find(Target::kParallel, {4, 512}).reason, HasSubstr("depend on the number of rows"));
  machine_.catalog.SetNumerics("linear", Target::kSimd, "")
      .SetNumerics("linear", Target::kScalar, "");
  EXPECT_THAT(Find(Target::kScalar, {1, 3}).reason, HasSubstr("for every number of tokens"));
}

TEST_F(InvariantCatalogTest, ReasonsOfTheMachineStay) {
  machine_.catalog.SetUnavailable(Target::kParallel, "one core");
  EXPECT_EQ(Find(Target::kParallel, {4, 512}).reason, "one core");
}

}  // namespace
}  // namespace infer
