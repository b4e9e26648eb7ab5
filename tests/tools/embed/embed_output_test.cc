// SPDX-License-Identifier: Apache-2.0
#include "tools/embed/embed_output.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace infer {
namespace {

std::string Written(EmbedFormat format, const std::vector<std::vector<float>>& vectors) {
  std::string text;
  VectorWriter writer(format, [&](std::string_view bytes) {
    text += bytes;
    return absl::OkStatus();
  });
  for (const std::vector<float>& vector : vectors) EXPECT_TRUE(writer.Add(vector).ok());
  EXPECT_TRUE(writer.Finish("a \"model\"", 7).ok());
  return text;
}

TEST(VectorWriter, WritesJsonAsServersDo) {
  const auto json = nlohmann::json::parse(Written(EmbedFormat::kJson, {{0.5f, -1}, {0.1f, 2}}));
  EXPECT_EQ(json["object"], "list");
  EXPECT_EQ(json["model"], "a \"model\"");
  EXPECT_EQ(json["usage"]["prompt_tokens"], 7);
  ASSERT_EQ(json["data"].size(), 2u);
  EXPECT_EQ(json["data"][1]["index"], 1);
  EXPECT_EQ(json["data"][1]["embedding"][0].get<float>(), 0.1f);
}

TEST(VectorWriter, WritesValidJsonOfNothingAndOfNan) {
  EXPECT_TRUE(nlohmann::json::parse(Written(EmbedFormat::kJson, {}))["data"].empty());
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(nlohmann::json::parse(Written(EmbedFormat::kJson, {{nan}}))["data"][0]["embedding"][0]
                  .is_null());
}

TEST(VectorWriter, WritesCsvAndRawFloats) {
  EXPECT_EQ(Written(EmbedFormat::kCsv, {{0.5f, -1}, {0.1f, 2}}), "0.5,-1\n0.1,2\n");
  const std::string raw = Written(EmbedFormat::kRaw, {{0.5f, -1}, {0.1f, 2}});
  float floats[4];
  ASSERT_EQ(raw.size(), sizeof floats);
  std::memcpy(floats, raw.data(), sizeof floats);
  EXPECT_EQ(floats[2], 0.1f);
}

TEST(ScoresText, PutsTheBestFirstInJsonOnly) {
  const double scores[] = {0.25, 0.75, 0.25};
  const auto json = nlohmann::json::parse(ScoresText(EmbedFormat::kJson, scores, "m", 3));
  ASSERT_EQ(json["results"].size(), 3u);
  EXPECT_EQ(json["results"][0]["index"], 1);
  EXPECT_EQ(json["results"][0]["relevance_score"], 0.75);
  EXPECT_EQ(json["results"][1]["index"], 0) << "equal ones stay in order";
  EXPECT_EQ(ScoresText(EmbedFormat::kCsv, scores, "m", 3), "0,0.25\n1,0.75\n2,0.25\n");
  EXPECT_EQ(ScoresText(EmbedFormat::kRaw, scores, "m", 3).size(), 12u);
}

}  // namespace
}  // namespace infer
