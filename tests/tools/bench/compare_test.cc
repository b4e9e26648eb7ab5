// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "ir/base/strings.h"
#include "tests/tools/cli/captured_run.h"
#include "tools/cli/exit_code.h"

namespace infer {
namespace {

using ::testing::HasSubstr;

BenchRecord Record(int64_t prompt, uint64_t ns) {
  BenchRecord record;
  record.model_filename = "/somewhere/model.gguf";
  record.policy = "simd";
  record.kv_type = "f16";
  record.n_ubatch = 512;
  record.test = {.prompt = prompt};
  record.samples_ns = {ns};
  return record;
}

// A base of pp100 at 100 t/s, as a file of one form.
BenchBase Base(TempDir& dir, BenchFormat format) {
  BenchRecord record = Record(100, 1'000'000'000);
  record.model_filename = "/elsewhere/model.gguf";
  const std::string path = dir.Path("base.json");
  WriteFile(path, BenchHeader(format) + BenchRow(record, format, true) + BenchFooter({}, format));
  absl::StatusOr<BenchBase> base = BenchBase::Read(path);
  EXPECT_TRUE(base.ok()) << base.status();
  return *std::move(base);
}

TEST(BenchCompare, ForgivesWhatTheThresholdAllows) {
  for (BenchFormat format : {BenchFormat::kJson, BenchFormat::kJsonl}) {
    TempDir dir;
    const BenchBase base = Base(dir, format);
    std::string report;
    const BenchRecord slower[] = {Record(100, 1'040'000'000)};
    EXPECT_EQ(base.Compare(slower, 0.05, &report), absl::OkStatus());
    EXPECT_THAT(report, HasSubstr("simd pp100: 96.15 t/s, was 100.00 (-3.8%)"));
  }
}

TEST(BenchCompare, ARegressionIsExitCodeSix) {
  TempDir dir;
  const BenchBase base = Base(dir, BenchFormat::kJson);
  std::string report;
  const BenchRecord slower[] = {Record(100, 1'100'000'000)};
  const absl::Status status = base.Compare(slower, 0.05, &report);
  EXPECT_EQ(ExitCodeFor(status), kExitVerification);
  EXPECT_THAT(ToStd(status.message()), HasSubstr("simd pp100 by 9.1%"));
}

TEST(BenchCompare, NothingInCommonIsNoSuccess) {
  TempDir dir;
  const BenchBase base = Base(dir, BenchFormat::kJson);
  std::string report;
  const BenchRecord other[] = {Record(200, 1)};
  EXPECT_EQ(ExitCodeFor(base.Compare(other, 0.05, &report)), kExitBadInput);
  EXPECT_THAT(report, HasSubstr("simd pp200: not in"));
}

TEST(BenchCompare, RefusesFilesOfOtherThings) {
  TempDir dir;
  EXPECT_EQ(ExitCodeFor(BenchBase::Read(dir.Path("none.json")).status()), kExitBadInput);
  for (const char* text :
       {"{}", "[1]", "[{\"n_prompt\": \"x\"}]", "no json", "[{\"avg_ts\": 1}]"}) {
    WriteFile(dir.Path("other.json"), text);
    EXPECT_EQ(ExitCodeFor(BenchBase::Read(dir.Path("other.json")).status()), kExitBadInput) << text;
  }
}

}  // namespace
}  // namespace infer
