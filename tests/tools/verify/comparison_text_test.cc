// SPDX-License-Identifier: Apache-2.0
#include "tools/verify/comparison_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "ir/graph/graph.h"
#include "ir/ops/ops.h"

namespace infer {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

class ComparisonTextTest : public ::testing::Test {
 protected:
  ComparisonTextTest() {
    Node* input = graph_.AddInput("x", ValueType::F32({Symbol::kT, 2}));
    Node* node = graph_.Insert(nullptr, ops::kSilu, {input->output()}, {},
                               {ValueType::F32({Symbol::kT, 2})});
    node->set_scope("layer.3/ffn/silu");
    Placement placement;
    placement.target = Target::kSimd;
    placement.kernel = "silu_f32_simd";
    placement.rule = "everything";
    node->set_placement(placement);
    deviation_ = {"layer.3/ffn/silu",
                  node,
                  "decode of token 5",
                  0.25,
                  1e-4,
                  Rounding::kFloat,
                  0,
                  17,
                  1.5f,
                  2.0f};
    comparison_.calls = 3;
    comparison_.compared = 42;
    comparison_.unmatched = 7;
    comparison_.ops[{"silu", "silu_f32_simd"}] = {6, 1, deviation_};
  }

  Graph graph_;
  Deviation deviation_;
  RunComparison comparison_;
};

TEST_F(ComparisonTextTest, ShowsTheWorstOfEachOpAndHowMuchWasCompared) {
  const std::string text = ComparisonText(comparison_, "simd", "reference");
  EXPECT_THAT(text, ContainsRegex("silu +silu_f32_simd +6 +1 +2.50e-01 +1e-04 +float +"
                                  "layer.3/ffn/silu, decode of token 5"));
  EXPECT_THAT(text, HasSubstr("42 results of simd in 3 calls compared with those of equal origin "
                              "in reference; 7 have none there"));
  EXPECT_THAT(text, Not(HasSubstr("first beyond")));
}

TEST_F(ComparisonTextTest, SaysWhatTheNumbersMeanAndWhatCameNearest) {
  std::string text = ComparisonText(comparison_, "simd", "reference");
  EXPECT_THAT(text, HasSubstr("the largest difference in a token's row"));
  EXPECT_THAT(text, Not(HasSubstr("nearest"))) << "it is beyond its tolerance";
  Deviation& worst = comparison_.ops.begin()->second.worst;
  worst.relative = 4e-5;
  text = ComparisonText(comparison_, "simd", "reference");
  EXPECT_THAT(text, HasSubstr("\nnearest to its tolerance: layer.3/ffn/silu in the decode of token "
                              "5, at 40 % of it"));
  const auto json = nlohmann::json::parse(ComparisonJson(comparison_, "simd", "reference"));
  EXPECT_EQ(json["nearest"]["node"], "layer.3/ffn/silu");
  worst.relative = 0;
  EXPECT_THAT(ComparisonText(comparison_, "simd", "reference"), HasSubstr("\nno result differs"));
}

TEST_F(ComparisonTextTest, SaysAllOfTheFirstNodeBeyond) {
  comparison_.first = deviation_;
  EXPECT_THAT(ComparisonText(comparison_, "simd", "reference"),
              HasSubstr("\nfirst beyond: layer.3/ffn/silu (silu on simd by silu_f32_simd, rule "
                        "everything) in the decode of token 5: element [0,17] is 2, expected 1.5; "
                        "off by 0.25 of the row's largest, allowed are 0.0001 (float)"));
}

TEST_F(ComparisonTextTest, IsAlsoJson) {
  auto json = nlohmann::json::parse(ComparisonJson(comparison_, "simd", "reference"));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["compared"], 42);
  EXPECT_EQ(json["first_beyond"], nullptr);
  EXPECT_EQ(json["ops"][0]["worst"]["relative"], 0.25);
  deviation_.relative = std::numeric_limits<double>::infinity();
  deviation_.found = std::numeric_limits<float>::quiet_NaN();
  comparison_.first = deviation_;
  json = nlohmann::json::parse(ComparisonJson(comparison_, "simd", "reference"));
  EXPECT_EQ(json["first_beyond"]["node"], "layer.3/ffn/silu");
  EXPECT_EQ(json["first_beyond"]["column"], 17);
  EXPECT_EQ(json["first_beyond"]["relative"], nullptr);
}

}  // namespace
}  // namespace infer
