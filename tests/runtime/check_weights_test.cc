// SPDX-License-Identifier: Apache-2.0
#include "runtime/check_weights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>

#include "frontends/gguf/reader.h"
#include "frontends/gguf/weights.h"
#include "tests/model/loaded_model.h"
#include "tests/runtime/tiny_program.h"

namespace infer {
namespace {

using test::LoadedModel;
using ::testing::AllOf;
using ::testing::HasSubstr;

const LoadedModel& CheckedModel() {
  static const auto* model = new LoadedModel("random_untied.gguf");
  return *model;
}

class CheckWeightsTest : public ::testing::Test {
 protected:
  CheckWeightsTest() {
    std::ifstream file(INFER_TEST_DATA "/random_untied.gguf", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    output_ = CheckedModel().weights().Find("output.weight");
  }

  // The check of the model compiled as it is against the changed bytes.
  absl::Status Check(WeightCheck check, HashMode hash = HashMode::kFull) {
    auto file = GgufFile::FromBytes("random_untied.gguf", std::as_bytes(std::span(bytes_)));
    EXPECT_TRUE(file.ok()) << file.status();
    if (!file.ok()) return file.status();
    return CheckWeights(CheckedModel().Compile({.context = 64, .hash = hash}), GgufWeights(*file),
                        check);
  }

  void ExpectRefused(const absl::Status& status, const char* what) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(status.message()),
                AllOf(HasSubstr(what), HasSubstr("compile this one")));
  }

  std::string bytes_;
  const WeightInfo* output_ = nullptr;
};

TEST_F(CheckWeightsTest, AcceptsTheModelItWasCompiledFrom) {
  EXPECT_EQ(Check(WeightCheck::kSampled), absl::OkStatus());
  EXPECT_EQ(Check(WeightCheck::kFull), absl::OkStatus());
  EXPECT_EQ(Check(WeightCheck::kFull, HashMode::kSampled), absl::OkStatus());
}

TEST_F(CheckWeightsTest, RefusesAFileOfAnotherSize) {
  bytes_ += std::string(32, '\0');
  ExpectRefused(Check(WeightCheck::kSampled), "bytes, but the program was compiled from");
}

TEST_F(CheckWeightsTest, RefusesAnotherHeader) {
  size_t name = bytes_.find("general.name");
  ASSERT_NE(name, std::string::npos);
  // Behind the key: 4 bytes of type, 8 of length, then the text.
  bytes_[name + std::string("general.name").size() + 12] ^= 1;
  ExpectRefused(Check(WeightCheck::kSampled), "a different header");
}

TEST_F(CheckWeightsTest, RefusesOtherValuesInASampledPage) {
  bytes_[output_->offset] ^= 1;
  ExpectRefused(Check(WeightCheck::kSampled), "weight output.weight has other values");
}

TEST_F(CheckWeightsTest, FullCheckSeesEveryByte) {
  ASSERT_GT(output_->bytes, 64u << 10);
  bytes_[output_->offset + 4096 + 10] ^= 1;  // between the first and the second sampled page
  EXPECT_EQ(Check(WeightCheck::kSampled), absl::OkStatus());
  EXPECT_EQ(Check(WeightCheck::kFull, HashMode::kSampled), absl::OkStatus());
  ExpectRefused(Check(WeightCheck::kFull), "weight output.weight has other values");
}

TEST(CheckWeights, RefusesAnotherNumberOfFiles) {
  test::VectorWeights weights = test::TinyWeights();
  Program program = test::TinyProgram(weights);
  program.model.files.push_back({"second.gguf", 1});
  EXPECT_THAT(std::string(CheckWeights(program, weights, WeightCheck::kSampled).message()),
              HasSubstr("compiled from 2 model files, but got 1"));
}

TEST(CheckWeights, RefusesAWeightThatIsMissingOrElsewhere) {
  test::VectorWeights weights = test::TinyWeights();
  Program program = test::TinyProgram(weights);
  weights.info(0).offset += 64;
  EXPECT_THAT(
      std::string(CheckWeights(program, weights, WeightCheck::kSampled).message()),
      HasSubstr("weight table is f32[8,4] at byte 64, the program expects f32[8,4] at byte 0"));
  weights.info(0).name = "chair";
  EXPECT_THAT(std::string(CheckWeights(program, weights, WeightCheck::kSampled).message()),
              HasSubstr("weight table is not in the model file"));
}

TEST(CheckWeights, ReportsAFileThatCouldNotBeRead) {
  test::VectorWeights weights = test::TinyWeights();
  Program program = test::TinyProgram(weights);
  weights.Fail(absl::DataLossError("cut short"));
  EXPECT_EQ(CheckWeights(program, weights, WeightCheck::kSampled),
            absl::DataLossError("cut short"));
}

}  // namespace
}  // namespace infer
