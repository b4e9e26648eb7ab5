// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/builder.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::IsEmpty;

TEST(Attributes, AreReadByName) {
  Graph graph;
  Value x = graph.AddInput("x", ValueType::F32({Symbol::kT, 8}))->output();
  Value heads = graph.AddInput("heads", ValueType::F32({Symbol::kT, 2, 4}))->output();
  Value batch = graph.AddInput("batch", ValueType::Batch())->output();
  GraphBuilder b(&graph);
  Value w = ops::WeightRef(b, "blk.0.norm", ValueType::F32({8}));
  Value norm = ops::WeightRef(b, "blk.0.q_norm", ValueType::F32({4}));
  Value kv = ops::KvState(b, 7, ValueType::Kv(DType::kF16, 2, 4));
  const double factors[] = {1, 8};
  const ops::RopeParams rope = {.base = 1e6,
                                .freq_scale = 0.25,
                                .ext_factor = 0.5,
                                .attn_factor = 0.75,
                                .beta_fast = 31,
                                .beta_slow = 2,
                                .original_context = 4096,
                                .adjacent = true,
                                .factors = factors};
  auto attrs = [](Value value) { return value.node->attrs(); };

  EXPECT_EQ(WeightName(*w.node), "blk.0.norm");
  EXPECT_EQ(StateId(*kv.node), 7);
  EXPECT_EQ(ops::AddScalarValue(attrs(ops::AddScalar(b, x, 0.125))), 0.125);
  EXPECT_EQ(ops::ScaleFactor(attrs(ops::Scale(b, x, 3.5))), 3.5);
  EXPECT_EQ(ops::SliceFirstColumn(attrs(ops::SliceColumns(b, x, 2, 5))), 2);
  EXPECT_EQ(ops::RmsNormEps(attrs(ops::RmsNorm(b, x, w, 1e-5))), 1e-5);
  EXPECT_EQ(ops::RmsNormEps(attrs(ops::AddRmsNorm(b, x, x, w, 1e-4).first)), 1e-4);
  EXPECT_EQ(ops::AttentionScale(attrs(ops::Attention(b, heads, kv, batch, 0.5))), 0.5);
  EXPECT_EQ(ops::RopeParamsOf(attrs(ops::Rope(b, heads, batch, rope))), rope);
  const ops::NormRopeParams both =
      ops::NormRopeOf(attrs(ops::QkNormRope(b, x, x, norm, norm, batch, 1e-3, rope).first));
  EXPECT_EQ(both.eps, 1e-3);
  EXPECT_EQ(both.rope, rope);
  const ops::AttentionInputValues inputs = {kv, x, x, x, norm, norm, batch};
  EXPECT_EQ(ops::NormRopeOf(attrs(ops::AttentionInputs(b, inputs, 1e-2, rope).second)).eps, 1e-2);
  EXPECT_TRUE(b.status().ok()) << b.status();
}

bool ReadsByPosition(std::string_view source) {
  return source.find(".attr<") != source.npos || source.find("->attr<") != source.npos;
}

// The order of an op's attributes is known in its file alone.
TEST(Attributes, NobodyOutsideTheOpsReadsThemByPosition) {
  EXPECT_TRUE(ReadsByPosition("node->attr<double>(0)"));
  const std::filesystem::path root = INFER_SOURCE_DIR;
  std::vector<std::string> readers;
  int files = 0;
  for (std::string_view folder : {"ir", "frontends", "passes", "runtime", "backends", "tools"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string file = entry.path().lexically_relative(root).generic_string();
      if ((extension != ".h" && extension != ".cc") || file.starts_with("ir/ops/")) continue;
      if (file.starts_with("backends/simd/")) continue;
      std::ifstream stream(entry.path());
      const std::string source{std::istreambuf_iterator<char>(stream), {}};
      if (ReadsByPosition(source)) readers.push_back(file);
      ++files;
    }
  }
  EXPECT_GE(files, 300);
  EXPECT_THAT(readers, IsEmpty());
}

}  // namespace
}  // namespace infer
