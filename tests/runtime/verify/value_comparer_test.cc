// SPDX-License-Identifier: Apache-2.0
#include "runtime/verify/value_comparer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "backends/backends.h"
#include "ir/graph/graph.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

class ValueComparerTest : public ::testing::Test {
 protected:
  ValueComparerTest() {
    Node* input = graph_.AddInput("x", ValueType::F32({Symbol::kT, 2}));
    node_ = graph_.Insert(nullptr, ops::kSilu, {input->output()}, {},
                          {ValueType::F32({Symbol::kT, 2})});
    node_->result().origin = "layer.0/ffn/silu";
    Placement placement;
    placement.kernel = "silu_f32_scalar";
    node_->set_placement(placement);
  }

  static Operand RowsOfTwo(std::vector<float>& values) {
    Operand operand;
    operand.tensor.data = reinterpret_cast<std::byte*>(values.data());
    operand.tensor.rank = 2;
    operand.tensor.dims[0] = std::ssize(values) / 2;
    operand.tensor.dims[1] = 2;
    return operand;
  }
  static void Show(StepObserver& observer, const Node& node, std::vector<float> values) {
    const Operand operand = RowsOfTwo(values);
    KernelArgs args;
    args.outputs = {&operand, 1};
    observer.AfterStep(node, args);
  }
  RunComparison Compare(std::vector<float> expected, std::vector<float> found,
                        std::optional<double> tolerance = {}) {
    ValueLog log(*registry_);
    ValueComparer comparer(*registry_, log, tolerance);
    Show(log, *node_, std::move(expected));
    comparer.Begin("call");
    Show(comparer, *node_, std::move(found));
    return comparer.comparison();
  }
  Deviation WorstOf(std::vector<float> expected, std::vector<float> found) {
    const RunComparison comparison = Compare(std::move(expected), std::move(found));
    EXPECT_EQ(comparison.compared, 1);
    return comparison.ops.begin()->second.worst;
  }

  std::unique_ptr<KernelRegistry> registry_ = MakeKernelRegistry();
  Graph graph_;
  Node* node_;
};

TEST_F(ValueComparerTest, MeasuresAgainstTheLargestOfTheRow) {
  const Deviation worst = WorstOf({100, 1, 4, 2}, {101, 1, 4, 2.1f});
  EXPECT_NEAR(worst.relative, 0.1 / 4, 1e-6);  // and not 1 / 100
  EXPECT_EQ(worst.row, 1);
  EXPECT_EQ(worst.column, 1);
  EXPECT_EQ(worst.expected, 2.0f);
  EXPECT_EQ(worst.found, 2.1f);
  EXPECT_EQ(worst.tolerance, ToleranceOf(Rounding::kFloat));
}

TEST_F(ValueComparerTest, WhatIsNoNumberOnBothSidesIsEqual) {
  EXPECT_EQ(WorstOf({kNan, 1}, {kNan, 1}).relative, 0);
  EXPECT_EQ(WorstOf({kInfinity, 1}, {kInfinity, 1}).relative, 0);
  EXPECT_TRUE(std::isinf(WorstOf({kInfinity, 1}, {-kInfinity, 1}).relative));
  EXPECT_TRUE(std::isinf(WorstOf({2, 1}, {2, kNan}).relative));
  EXPECT_TRUE(std::isinf(WorstOf({2, kInfinity}, {2, 1}).relative));
}

TEST_F(ValueComparerTest, ARowOfZerosAllowsNothing) {
  EXPECT_TRUE(Compare({0, 0}, {0, 1e-9f}).first.has_value());
  EXPECT_FALSE(Compare({0, 0}, {0, 0}).first.has_value());
}

TEST_F(ValueComparerTest, KeepsTheFirstBeyondTheTolerance) {
  EXPECT_FALSE(Compare({1, 1}, {1, 1.00005f}).first.has_value());
  EXPECT_TRUE(Compare({1, 1}, {1, 1.001f}).first.has_value());
  EXPECT_FALSE(Compare({1, 1}, {1, 1.001f}, 0.01).first.has_value());
  const RunComparison exact = Compare({1, 1}, {1, 1.0000001f}, 0.0);
  ASSERT_TRUE(exact.first.has_value());
  EXPECT_EQ(exact.first->origin, "layer.0/ffn/silu");
  EXPECT_EQ(exact.first->call, "call");
  EXPECT_EQ(exact.ops.begin()->second.beyond, 1);
}

TEST_F(ValueComparerTest, CountsWhatHasNoCounterpart) {
  EXPECT_EQ(Compare({1, 1}, {1, 1, 1, 1}).unmatched, 1);  // another shape
  ValueLog log(*registry_);
  ValueComparer comparer(*registry_, log, {});
  Show(log, *node_, {1, 1});
  log.Clear();
  comparer.Begin("call");
  Show(comparer, *node_, {1, 1});
  EXPECT_EQ(comparer.comparison().unmatched, 1);
  node_->result().origin.clear();  // swallowed by a fusion
  Show(comparer, *node_, {1, 1});
  EXPECT_EQ(comparer.comparison().unmatched, 1);
  EXPECT_EQ(comparer.comparison().compared, 0);
}

TEST_F(ValueComparerTest, LooksAtTheFirstTheLastAndRowsBetween) {
  constexpr int64_t kRows = 1000;
  EXPECT_EQ(NumComparedRows(kRows), kComparedRows);
  EXPECT_EQ(ComparedRow(0, kRows), 0);
  EXPECT_EQ(ComparedRow(kComparedRows - 1, kRows), kRows - 1);
  for (int64_t i = 0; i < kComparedRows; ++i) EXPECT_EQ(ComparedRow(i, kComparedRows), i);
  std::vector<float> values(2 * kRows, 1.0f);
  std::vector<float> wrong = values;
  wrong.back() = 2;
  const RunComparison comparison = Compare(values, wrong);
  ASSERT_TRUE(comparison.first.has_value());
  EXPECT_EQ(comparison.first->row, kRows - 1);
}

}  // namespace
}  // namespace infer
