// SPDX-License-Identifier: Apache-2.0
#include "runtime/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace infer {
namespace {

TEST(Metrics, SeparatePromptsFromDecoding) {
  MetricsRecorder recorder;
  recorder.LoadDone(120.0);
  recorder.ForwardDone(512, 200.0, /*is_prefill=*/true);
  recorder.ForwardDone(88, 100.0, /*is_prefill=*/true);
  recorder.FirstToken(305.0);
  recorder.ForwardDone(1, 20.0, /*is_prefill=*/false);
  recorder.FirstToken(330.0);
  recorder.ForwardDone(1, 10.0, /*is_prefill=*/false);
  recorder.ForwardDone(2, 30.0, /*is_prefill=*/false);
  const Metrics metrics = recorder.Finish();
  EXPECT_DOUBLE_EQ(metrics.load_ms, 120.0);
  EXPECT_DOUBLE_EQ(metrics.time_to_first_token_ms, 305.0);
  EXPECT_EQ(metrics.prefill_tokens, 600);
  EXPECT_DOUBLE_EQ(metrics.prefill_tokens_per_second, 2000.0);
  EXPECT_DOUBLE_EQ(metrics.prefill_ms, 300.0);
  EXPECT_EQ(metrics.decode_tokens, 4);
  EXPECT_DOUBLE_EQ(metrics.decode_ms, 60.0);
  EXPECT_DOUBLE_EQ(metrics.decode_tokens_per_second, 4 / 0.06);
  EXPECT_EQ(metrics.forwards, 3);
  EXPECT_DOUBLE_EQ(metrics.per_forward_ms_min, 10.0);
  EXPECT_DOUBLE_EQ(metrics.per_forward_ms_max, 30.0);
  EXPECT_DOUBLE_EQ(metrics.per_forward_ms_mean, 20.0);
}

TEST(Metrics, NothingMeasuredIsZeroAndNeverNan) {
  MetricsRecorder recorder;
  recorder.ForwardDone(1, 0.0, /*is_prefill=*/true);  // below the clock's resolution
  for (const MetricField& field : Fields(recorder.Finish())) {
    if (field.name == "peak_memory_bytes" || field.name == "prefill_tokens") continue;
    if (const double* value = std::get_if<double>(&field.value)) {
      EXPECT_EQ(*value, 0.0) << field.name;
    } else {
      EXPECT_EQ(std::get<int64_t>(field.value), 0) << field.name;
    }
  }
}

TEST(Metrics, FieldsAreThePromisedNamesInOrder) {
  std::vector<std::string> names;
  for (const MetricField& field : Fields(Metrics())) names.emplace_back(field.name);
  EXPECT_THAT(names, ::testing::ElementsAre(
                         "load_ms", "time_to_first_token_ms", "prefill_tokens", "prefill_ms",
                         "prefill_tokens_per_second", "decode_tokens", "decode_ms",
                         "decode_tokens_per_second", "forwards", "per_forward_ms_min",
                         "per_forward_ms_max", "per_forward_ms_mean", "draft_proposed",
                         "draft_accepted", "draft_gain", "peak_memory_bytes"));
}

TEST(Metrics, TextHasALineForEachField) {
  Metrics metrics;
  metrics.load_ms = 12.345;
  metrics.prefill_tokens = 7;
  const std::string text = ToText(metrics);
  for (const MetricField& field : Fields(metrics)) {
    EXPECT_THAT(text, ::testing::HasSubstr(std::string(field.name) + " "));
  }
  EXPECT_THAT(text, ::testing::HasSubstr("load_ms                    12.35\n"));
  EXPECT_THAT(text, ::testing::HasSubstr("prefill_tokens             7\n"));
}

TEST(Metrics, PeakMemoryGrowsWithWhatIsTouched) {
  const uint64_t before = PeakMemoryBytes();
  ASSERT_GT(before, 0u);
  constexpr size_t kTouchedBytes = size_t{64} << 20;
  std::vector<char> block(kTouchedBytes);
  std::memset(block.data(), 1, kTouchedBytes);
  EXPECT_GE(PeakMemoryBytes(), before + kTouchedBytes / 2);
  EXPECT_EQ(block[kTouchedBytes - 1], 1);
}

}  // namespace
}  // namespace infer
