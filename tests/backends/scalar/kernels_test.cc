// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/kernels.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "backends/formats/dequantize_row.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"
#include "ir/ops/op_list.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

TEST(ScalarKernels, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const CpuKernel& kernel : ScalarKernels()) {
    EXPECT_TRUE(names.insert(kernel.info.name).second) << kernel.info.name;
  }
}

TEST(ScalarKernels, NamesSayOpAndTarget) {
  for (const CpuKernel& kernel : ScalarKernels()) {
    EXPECT_EQ(kernel.info.target, Target::kScalar) << kernel.info.name;
    EXPECT_TRUE(kernel.info.name.starts_with(StrCat(kernel.info.op->name, "_")))
        << kernel.info.name;
    EXPECT_TRUE(kernel.info.name.ends_with("_scalar")) << kernel.info.name;
  }
}

TEST(ScalarKernels, RowsAreComplete) {
  for (const CpuKernel& kernel : ScalarKernels()) {
    EXPECT_NE(kernel.info.accepts, nullptr) << kernel.info.name;
    EXPECT_NE(kernel.run, nullptr) << kernel.info.name;
    EXPECT_NE(kernel.units, nullptr) << kernel.info.name;
    // A product widens one weight row at a time for all units.
    const bool product = kernel.info.op == &ops::kLinear || kernel.info.op == &ops::kExpertLinear;
    EXPECT_EQ(kernel.info.partition == nullptr, product) << kernel.info.name;
    EXPECT_EQ(kernel.info.weight_layout, nullptr) << kernel.info.name;
  }
}

TEST(ScalarKernels, EveryPrimitiveOpHasOneAndNothingElseHas) {
  for (const OpDef* op : AllOps()) {
    const bool source = op->traits.weight || op->traits.state || op == &ops::kInput;
    const bool computes = !op->composite() && !op->traits.view && !op->traits.collective && !source;
    bool found = false;
    for (const CpuKernel& kernel : ScalarKernels()) found |= kernel.info.op == op;
    EXPECT_EQ(found, computes) << op->name;
  }
}

TEST(ScalarKernels, ExactlyOneReadsEachWeightType) {
  for (DType dtype : formats::WeightTypes()) {
    Graph graph;
    GraphBuilder b(&graph);
    Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 256}))->output();
    Value tokens = graph.AddInput("t", ValueType::Tensor(DType::kI32, {Symbol::kT}))->output();
    Value weight = ops::WeightRef(b, "w", ValueType::Tensor(dtype, {8, 256}));
    for (Value value : {ops::Linear(b, x, weight), ops::Embed(b, weight, tokens)}) {
      ASSERT_TRUE(b.status().ok()) << b.status();
      std::string found;
      for (const CpuKernel& kernel : ScalarKernels()) {
        if (!value.node->Is(*kernel.info.op)) continue;
        if (kernel.info.accepts(*value.node).accepted()) StrAppend(&found, kernel.info.name);
      }
      EXPECT_EQ(found, StrCat(value.node->op().name, "_", Name(dtype), "_scalar"));
    }
  }
}

TEST(ScalarKernels, NoneReadsAnotherWeightType) {
  for (const DTypeInfo& info : AllDTypes()) {
    if (std::ranges::count(formats::WeightTypes(), info.dtype) > 0) continue;
    Graph graph;
    GraphBuilder b(&graph);
    Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 256}))->output();
    Value weight = ops::WeightRef(b, "w", ValueType::Tensor(info.dtype, {8, 256}));
    Value out = ops::Linear(b, x, weight);
    if (!b.status().ok()) continue;  // the op itself refuses integers
    for (const CpuKernel& kernel : ScalarKernels()) {
      if (kernel.info.op != &ops::kLinear) continue;
      const Decision decision = kernel.info.accepts(*out.node);
      EXPECT_FALSE(decision.accepted()) << kernel.info.name << " " << info.name;
      EXPECT_TRUE(decision.reason().starts_with(StrCat("weight is ", info.name, ";")))
          << decision.reason();
    }
  }
}

TEST(ScalarKernels, LinearAsksForOneWideRow) {
  Graph graph;
  GraphBuilder b(&graph);
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 96}))->output();
  Value weight = ops::WeightRef(b, "w", ValueType::Tensor(DType::kQ8_0, {8, 96}));
  Value out = ops::Linear(b, x, weight);
  for (const CpuKernel& kernel : ScalarKernels()) {
    if (kernel.info.op != &ops::kLinear) continue;
    EXPECT_EQ(kernel.info.workspace_bytes(*out.node, SymbolRanges{}), 96 * 4u);
  }
}

}  // namespace
}  // namespace infer
