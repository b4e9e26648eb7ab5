// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/bench_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ir/base/json.h"
#include "tools/cli/flag_text.h"

namespace infer {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

BenchRecord Sample() {
  BenchRecord record;
  record.model_filename = "a \"b\".gguf";
  record.model_type = "qwen3 q8_0";
  record.policy = "simd";
  record.weight_type = DType::kQ8_0;
  record.test = {.prompt = 0, .generated = 100, .depth = 7};
  record.samples_ns = {1'000'000'000, 2'000'000'000};
  record.bytes = 3e9;
  record.linear_flops = 6e9;
  return record;
}

TEST(BenchRecord, MeansAndDeviationsAreThoseOfTheSamples) {
  const BenchRecord record = Sample();
  EXPECT_DOUBLE_EQ(record.MeanNs(), 1.5e9);
  EXPECT_NEAR(record.DeviationNs(), 0.707106781e9, 1);
  EXPECT_DOUBLE_EQ(record.MeanTs(), 75);  // of 100 and 50
  EXPECT_NEAR(record.DeviationTs(), 35.3553390593, 1e-9);
  EXPECT_DOUBLE_EQ(record.GbPerS(), 2);
  EXPECT_DOUBLE_EQ(record.GopPerS(), 4);
}

TEST(BenchRecord, OneSampleHasNoDeviation) {
  BenchRecord record = Sample();
  record.samples_ns.pop_back();
  EXPECT_EQ(record.DeviationTs(), 0);
}

TEST(BenchRecord, TestsAreNamedAsLlamaBenchNamesThem) {
  BenchRecord record = Sample();
  EXPECT_EQ(record.TestName(), "tg100 @ d7");
  record.test = {.prompt = 512, .generated = 128};
  EXPECT_EQ(record.TestName(), "pp512+tg128");
}

TEST(BenchRecord, JsonHasLlamaBenchsNames) {
  const Json json = ToJson(Sample());
  for (const char* name :
       {"build_commit",   "cpu_info",  "model_filename", "model_type", "model_size",
        "model_n_params", "n_batch",   "n_ubatch",       "n_threads",  "type_k",
        "type_v",         "n_prompt",  "n_gen",          "n_depth",    "test_time",
        "avg_ns",         "stddev_ns", "avg_ts",         "stddev_ts",  "samples_ns",
        "samples_ts"}) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
  EXPECT_EQ(json["n_gen"], 100);
  EXPECT_TRUE(json["peak_gop_per_s"].is_null());
}

TEST(BenchRecord, PeaksAreThoseOfTheWeightsType) {
  BenchRecord record = Sample();
  record.peaks = Peaks{.read_gb_s = 4,
                       .instructions = {{"fma", InstructionPeak::Kind::kF32, 10},
                                        {"dot", InstructionPeak::Kind::kInt8, 40}}};
  EXPECT_EQ(ToJson(record)["peak_instruction"], "dot");
  EXPECT_THAT(BenchRow(record, BenchFormat::kMd, true), HasSubstr("2.00 (50%) | 4.0 (10%)"));
  record.weight_type = DType::kF16;  // no instruction for bf16: as floats
  EXPECT_EQ(ToJson(record)["peak_instruction"], "fma");
}

TEST(BenchRecord, CsvHasAsManyFieldsAsNames) {
  const std::string names = BenchHeader(BenchFormat::kCsv);
  const std::string row = BenchRow(Sample(), BenchFormat::kCsv, true);
  EXPECT_THAT(names, StartsWith("schema_version,build_commit,"));
  EXPECT_EQ(SplitWords(names, ',').size(), SplitWords(row, ',').size());
  EXPECT_THAT(row, HasSubstr(R"("a ""b"".gguf")"));
}

TEST(BenchRecord, RowsOfJsonMakeOneArray) {
  const BenchRecord record = Sample();
  std::string text = BenchHeader(BenchFormat::kJson);
  text += BenchRow(record, BenchFormat::kJson, true);
  text += BenchRow(record, BenchFormat::kJson, false);
  text += BenchFooter({}, BenchFormat::kJson);
  EXPECT_EQ(nlohmann::json::parse(text).size(), 2u);
}

}  // namespace
}  // namespace infer
