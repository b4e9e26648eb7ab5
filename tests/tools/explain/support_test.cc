// SPDX-License-Identifier: Apache-2.0
#include "tools/explain/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/fake_catalog.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::FakeCatalog;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const SupportCell& CellFor(const SupportMatrix& matrix, const std::string& op, Target target) {
  for (const SupportRow& row : matrix.rows) {
    if (row.op == op) return row.cells[static_cast<size_t>(target)];
  }
  static const SupportCell kNone;
  ADD_FAILURE() << "no row for " << op;
  return kNone;
}

class Support : public ::testing::Test {
 protected:
  SupportMatrix Make(const FakeCatalog& catalog) {
    return MakeSupportMatrix(graph_, program_, catalog);
  }
  Graph graph_ = test::SampleGraph(Stage::kBound, {1, 16});
  Program program_ = test::SampleProgram();
};

TEST_F(Support, TellsWholeInPartsAndNot) {
  FakeCatalog catalog;
  catalog.Add("linear", Target::kSimd).Refuse("add", Target::kMetal, "metal is tired");
  SupportMatrix matrix = Make(catalog);
  EXPECT_EQ(CellFor(matrix, "linear", Target::kSimd).how, SupportCell::How::kWhole);
  EXPECT_THAT(CellFor(matrix, "linear", Target::kSimd).kernels, ElementsAre("linear_simd"));
  const SupportCell& norm = CellFor(matrix, "rms_norm", Target::kScalar);
  EXPECT_EQ(norm.how, SupportCell::How::kInParts);
  EXPECT_FALSE(norm.kernels.empty());
  const SupportCell& add = CellFor(matrix, "add", Target::kMetal);
  EXPECT_EQ(add.how, SupportCell::How::kNo);
  EXPECT_THAT(add.reasons, ElementsAre("metal is tired"));
}

TEST_F(Support, TellsTheRowsThatAKernelTakes) {
  FakeCatalog catalog;
  catalog.Add("linear", Target::kMetal).LimitRows("linear", Target::kMetal, Range{8, 1 << 20});
  const SupportMatrix matrix = Make(catalog);
  const SupportCell& cell = CellFor(matrix, "linear", Target::kMetal);
  EXPECT_EQ(cell.how, SupportCell::How::kSomeRows);
  ASSERT_FALSE(cell.reasons.empty());
  EXPECT_THAT(cell.reasons[0], HasSubstr("linear_metal for 8 to "));
}

TEST_F(Support, RowsAreApartByTheTypesOfWeights) {
  SupportMatrix matrix = Make(FakeCatalog());
  std::vector<std::string> types;
  for (const SupportRow& row : matrix.rows) {
    if (row.op == "linear") types.push_back(row.types);
  }
  EXPECT_THAT(types, ElementsAre("q4_0", "q8_0"));
}

TEST_F(Support, ReasonsStandOnceBelowTheMatrix) {
  std::string text = ToText(Make(FakeCatalog()));
  EXPECT_THAT(text, HasSubstr("op  "));
  EXPECT_THAT(text, HasSubstr("why\n  [1] "));
  EXPECT_THAT(text, HasSubstr("in parts ["));
  nlohmann::json json = nlohmann::json::parse(ToJson(Make(FakeCatalog())));
  EXPECT_EQ(json["schema_version"], 1);
  for (const nlohmann::json& op : json["ops"]) {
    EXPECT_EQ(op["targets"].size(), 5u);
    for (const nlohmann::json& cell : op["targets"]) {
      EXPECT_TRUE(!cell["kernels"].empty() || !cell["reasons"].empty()) << op["op"];
    }
  }
}

}  // namespace
}  // namespace infer
