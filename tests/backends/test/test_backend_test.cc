// SPDX-License-Identifier: Apache-2.0
#include "backends/test/test_backend.h"

#include <gtest/gtest.h>

#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

TEST(TestBackend, HasAMemoryOfItsOwn) {
  const TestBackend device;
  EXPECT_EQ(device.space(), Device::kTest);
  const auto memory = device.memory()->Allocate(10).value();
  EXPECT_EQ(device.bytes(), 10u);
}

TEST(TestBackend, BindsItsOwnKernelsAlone) {
  const TestBackend device;
  Graph graph;
  GraphBuilder b(&graph);
  const Value x = graph.AddInput("x", ValueType::F32({1, 4}))->output();
  const Node& node = *ops::Scale(b, x, 2).node;
  EXPECT_TRUE(device.Bind(node, "scale_f32_test").ok());
  EXPECT_EQ(device.Bind(node, "scale_f32_scalar").status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace infer
