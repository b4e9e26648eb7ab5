// SPDX-License-Identifier: Apache-2.0
#include "tools/synth/shapes.h"

#include <gtest/gtest.h>

#include <map>
#include <string_view>

#include "tools/synth/tensor_plan.h"

namespace infer {
namespace {

// The totals that the model cards give (a tied output matrix counted once, rope factors not).
TEST(Shapes, HaveThePublishedParameterCounts) {
  const std::map<std::string_view, uint64_t> published = {
      {"0.6b", 596049920},
      {"1.7b", 1720574976},
      {"4b", 4022468096},
      {"8b", 8190735360},
      {"14b", 14768307200},
      {"32b", 32762123264},
      {"30b-a3b", 30532122624},
      {"235b-a22b", 235093634560},
      {"qwen2.5-0.5b", 494032768},
      {"qwen2.5-1.5b", 1543714304},
      {"qwen2.5-3b", 3085938688},
      {"qwen2.5-7b", 7615616512},
      {"qwen2.5-14b", 14770033664},
      {"qwen2.5-32b", 32763876352},
      {"qwen2.5-72b", 72706203648},
      {"llama3.2-1b", 1235814400},
      {"llama3.2-3b", 3212749824},
      {"llama3.1-8b", 8030261248},
      {"llama3.1-70b", 70553706496},
  };
  ASSERT_EQ(AllShapes().size(), published.size());
  for (const NamedShape& named : AllShapes()) {
    auto tensors = PlanTensors(named.shape, *FindWeightType("q8_0"), named.shape.vocabulary_tokens);
    ASSERT_TRUE(tensors.ok()) << tensors.status().ToString();
    uint64_t parameters = 0;
    for (const GgufTensor& tensor : *tensors) {
      if (tensor.name == "rope_freqs.weight") continue;
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
