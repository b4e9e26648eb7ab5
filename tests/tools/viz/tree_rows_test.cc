// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/tree_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_split.h"
#include "tools/api/report/quantity_text.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

constexpr std::optional<Target> kSimd = Target::kSimd, kMetal = Target::kMetal;
const TreeHeads kHeads = {{"T 1..31", "T 32..512"}, "estimate, T 1..31"};

std::vector<std::string> LinesOf(const std::vector<TreeRow>& rows) {
  return absl::StrSplit(TreeRowsText(rows, kHeads, false), '\n', absl::SkipEmpty());
}

// Of a word in a line, as a terminal shows it.
size_t ColumnOf(const std::string& line, const std::string& word) {
  const size_t at = line.find(word);
  return at == std::string::npos ? at : DisplayColumns(line.substr(0, at));
}

TEST(TreeRows, TypesThatAreTooLongGoOnBelowAndTheColumnsStay) {
  const std::vector<TreeRow> rows = {
      {"layers 0..4  × 5"},
      {"├─ attn/norm", "rms_norm", "f32 → f32[T,256]", "6.60 us..7.70 us", {kSimd, kMetal}},
      {"├─ attn/qkv_proj",
       "multi_linear × 2",
       "q8_0 f32 → f32[T,256], f32[T,128] x2, f32[T,64] x2",
       "6.60 us..1.23 ms",
       {kSimd, kMetal}},
      {"└─ ffn/down_proj", "linear", "q8_0 → f32[T,256]", "2 us", {kSimd, std::nullopt}}};
  const std::vector<std::string> lines = LinesOf(rows);
  ASSERT_GT(lines.size(), rows.size() + 1);
  const size_t simd = ColumnOf(lines[2], "simd"), metal = ColumnOf(lines[2], "metal");
  EXPECT_EQ(ColumnOf(lines[0], "T 1..31"), simd);
  EXPECT_EQ(ColumnOf(lines[0], "T 32..512"), metal);
  EXPECT_EQ(ColumnOf(lines[3], "simd"), simd);
  EXPECT_EQ(ColumnOf(lines[3], "metal"), metal);
  EXPECT_EQ(ColumnOf(lines.back(), "simd"), simd);
  EXPECT_EQ(ColumnOf(lines.back(), "-"), metal);
  EXPECT_EQ(DisplayColumns(lines[2]), DisplayColumns(lines[3]));
  EXPECT_THAT(lines[0], ::testing::EndsWith(" estimate, T 1..31"));
  EXPECT_EQ(DisplayColumns(lines[0]), DisplayColumns(lines[2]));
  for (const std::string& line : lines) EXPECT_LE(DisplayColumns(line), 100u) << line;
  EXPECT_TRUE(lines[4].starts_with("│ ")) << lines[4];
  EXPECT_EQ(lines[4].find("simd"), std::string::npos);
  EXPECT_THAT(lines[lines.size() - 2], HasSubstr("f32[T,64] x2"));
}

TEST(TreeRows, LabelsThatFillTheLineStillHaveTheirColumns) {
  const std::vector<std::string> lines =
      LinesOf({{std::string(90, 'x'), "linear", "q8_0 → f32[T,256]", "2 us", {kSimd, kMetal}},
               {"y", "linear", "q8_0 → f32[T,256], f32[T,128]", "2 us", {kSimd, kMetal}}});
  EXPECT_EQ(ColumnOf(lines[1], "simd"), ColumnOf(lines[0], "T 1..31"));
  EXPECT_LT(DisplayColumns(lines[1]), 200u);
}

TEST(TreeRows, APieceThatIsLongerThanTheLineWidensItsColumn) {
  const std::string piece = "f32[" + std::string(80, '1') + "]";
  const std::vector<std::string> lines =
      LinesOf({{"x", "linear", piece, "2 us", {kSimd, kMetal}},
               {"y", "linear", "f32[1]", "2 us", {kSimd, kMetal}}});
  EXPECT_THAT(lines[1], HasSubstr(piece));
  EXPECT_EQ(ColumnOf(lines[1], "simd"), ColumnOf(lines[2], "simd"));
}

}  // namespace
}  // namespace infer
