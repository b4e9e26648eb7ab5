// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/shapes.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "tools/synth/tensor_plan.h"

namespace infer {
namespace {

// The totals that Qwen's model cards give (a tied output matrix counted once).
TEST(Shapes, HaveThePublishedParameterCounts) {
  const std::map<std::string_view, uint64_t> published = {
      {"0.6b", 596049920},      {"1.7b", 1720574976},        {"4b", 4022468096},
      {"8b", 8190735360},       {"14b", 14768307200},        {"32b", 32762123264},
      {"30b-a3b", 30532122624}, {"235b-a22b", 235093634560},
  };
  ASSERT_EQ(AllShapes().size(), published.size());
  for (const NamedShape& named : AllShapes()) {
    auto tensors = PlanTensors(named.shape, *FindWeightType("q8_0"), 151936);
    ASSERT_TRUE(tensors.ok()) << tensors.status().ToString();
    uint64_t parameters = 0;
    for (const GgufTensor& tensor : *tensors) {
      uint64_t elements = 1;
      for (uint64_t dim : tensor.dims) elements *= dim;
      parameters += elements;
    }
    EXPECT_EQ(parameters, published.at(named.name)) << named.name;
  }
}

TEST(Shapes, UnknownNameIsNotFound) {
  EXPECT_TRUE(FindShape("0.6b").has_value());
  EXPECT_FALSE(FindShape("7b").has_value());
}

}  // namespace
}  // namespace infer
