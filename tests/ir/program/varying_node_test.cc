// SPDX-License-Identifier: Apache-2.0
#include "ir/program/varying_node.h"

#include <gtest/gtest.h>

#include "ir/graph/placement.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

// Gives every node of a regime the class, but `other` to nodes of the op `odd`.
void SetNumerics(Regime* regime, const std::string& numerics, std::string_view odd = "",
                 const std::string& other = "") {
  for (Node* node : regime->graph.nodes()) {
    if (!node->placement()) continue;
    Placement placement = *node->placement();
    placement.kernel_record.numerics = node->op().name == odd ? other : numerics;
    node->set_placement(placement);
  }
}

TEST(FindVaryingNode, FindsNoneIfEachHasOneClass) {
  Program program = test::SampleProgram();
  for (Regime& regime : program.regimes) SetNumerics(&regime, "a");
  EXPECT_EQ(FindVaryingNode(program, 16), nullptr);
}

TEST(FindVaryingNode, FindsAClassThatOneRegimeHasOnly) {
  Program program = test::SampleProgram();
  SetNumerics(&program.regimes[0], "a");
  SetNumerics(&program.regimes[1], "a", "attention", "b");
  const Node* node = FindVaryingNode(program, 16);
  ASSERT_NE(node, nullptr);
  EXPECT_EQ(node->op().name, "attention");
  EXPECT_EQ(FindVaryingNode(program, 5), node);
  // Calls of up to four tokens use the first regime only.
  EXPECT_EQ(FindVaryingNode(program, 4), nullptr);
}

TEST(FindVaryingNode, ANodeWithoutAClassVariesByItself) {
  Program program = test::SampleProgram();
  for (Regime& regime : program.regimes) SetNumerics(&regime, "a", "attention", "");
  EXPECT_NE(FindVaryingNode(program, 1), nullptr);
}

TEST(FindVaryingNode, AsksForClassesElsewhere) {
  Program program = test::SampleProgram();
  for (Regime& regime : program.regimes) SetNumerics(&regime, "");
  EXPECT_EQ(FindVaryingNode(program, 16, [](const Node&, const SymbolRanges&) { return "x"; }),
            nullptr);
}

}  // namespace
}  // namespace infer
