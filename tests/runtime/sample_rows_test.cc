// SPDX-License-Identifier: Apache-2.0
#include "runtime/sample_rows.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "runtime/random.h"

namespace infer {
namespace {

constexpr int32_t kVocabulary = 700;

// Rows in the order in which the threads get to them.
ParallelFor ThreadsFor(int threads) {
  return [threads](int64_t count, const std::function<void(int64_t)>& body) {
    std::atomic<int64_t> next = 0;
    std::vector<std::thread> team;
    for (int i = 0; i < threads; ++i) {
      team.emplace_back([&] {
        for (int64_t row = next++; row < count; row = next++) body(row);
      });
    }
    for (std::thread& thread : team) thread.join();
  };
}

std::vector<Sampler> MakeSamplers(size_t count) {
  std::vector<Sampler> samplers;
  for (size_t i = 0; i < count; ++i) {
    SamplerOptions options;
    options.top_k = i % 3 == 0 ? 0 : 20;
    options.presence_penalty = i % 2 == 0 ? 0.0 : 0.5;
    options.temperature = i % 5 == 4 ? 0.0 : 0.8;
    options.seed = i;
    samplers.push_back(*Sampler::Create(options, kVocabulary));
  }
  return samplers;
}

std::vector<float> RandomLogits(size_t rows) {
  Random random(5);
  std::vector<float> logits(rows * kVocabulary);
  for (float& logit : logits) logit = static_cast<float>(8 * random.NextUnit());
  return logits;
}

// Several calls, so that what the samplers remember matters.
std::vector<int32_t> RunCalls(size_t rows, const ParallelFor& parallel) {
  std::vector<Sampler> samplers = MakeSamplers(rows);
  const std::vector<float> logits = RandomLogits(rows);
  std::vector<int32_t> ids;
  for (int call = 0; call < 6; ++call) {
    std::vector<RowToSample> batch;
    for (size_t i = 0; i < rows; ++i) {
      const size_t row = (i + call) % rows;
      batch.push_back({&samplers[i], {&logits[row * kVocabulary], kVocabulary}});
    }
    std::vector<absl::StatusOr<SampledToken>> tokens(rows, SampledToken{});
    SampleRows(batch, parallel, tokens);
    for (size_t i = 0; i < rows; ++i) {
      EXPECT_TRUE(tokens[i].ok()) << tokens[i].status();
      ids.push_back(tokens[i]->id);
      samplers[i].Accept(ids.back());
    }
  }
  return ids;
}

TEST(SampleRows, IsTheSameForAnyNumberOfThreads) {
  const std::vector<int32_t> alone = RunCalls(13, SerialFor);
  for (int threads = 1; threads <= 4; ++threads) {
    EXPECT_EQ(RunCalls(13, ThreadsFor(threads)), alone) << threads << " threads";
  }
}

TEST(SampleRows, ABadRowDoesNotDisturbTheOthers) {
  std::vector<Sampler> samplers = MakeSamplers(3);
  std::vector<float> logits = RandomLogits(3);
  logits[kVocabulary + 7] = std::numeric_limits<float>::quiet_NaN();
  std::vector<RowToSample> rows;
  for (size_t i = 0; i < 3; ++i) {
    rows.push_back({&samplers[i], {&logits[i * kVocabulary], kVocabulary}});
  }
  std::vector<absl::StatusOr<SampledToken>> tokens(3, SampledToken{});
  SampleRows(rows, ThreadsFor(2), tokens);
  EXPECT_TRUE(tokens[0].ok());
  EXPECT_EQ(tokens[1].status().code(), absl::StatusCode::kDataLoss);
  EXPECT_TRUE(tokens[2].ok());
}

// Rows that are in place only after `fetch`, the first with its largest logits.
struct FetchedRows {
  FetchedRows() {
    logits.resize(row.size());
    top_ids = {3};
    top_values = {row[3]};
    for (size_t i = 0; i < 2; ++i) {
      SamplerOptions options;
      options.temperature = 0;
      samplers.push_back(*Sampler::Create(options, static_cast<int32_t>(row.size())));
    }
    rows = {{.sampler = &samplers[0], .logits = logits, .top = {top_ids, top_values}},
            {.sampler = &samplers[1], .logits = logits}};
  }
  std::function<absl::Status()> Fetch(absl::Status status) {
    return [this, status] {
      ++fetches;
      if (status.ok()) logits.assign(row.begin(), row.end());
      return status;
    };
  }

  const std::vector<float> row = {0, 2, 1, 4, 3};
  std::vector<float> logits;
  std::vector<int32_t> top_ids;
  std::vector<float> top_values;
  std::vector<Sampler> samplers;
  std::vector<RowToSample> rows;
  int fetches = 0;
};

TEST(SampleRows, FetchesWholeRowsOnceIfASamplerNeedsThem) {
  FetchedRows fixture;
  std::vector<absl::StatusOr<SampledToken>> tokens(2, SampledToken{});
  SampleRows(fixture.rows, ThreadsFor(2), tokens, fixture.Fetch(absl::OkStatus()));
  EXPECT_EQ(tokens[0]->id, 3);
  EXPECT_EQ(tokens[1]->id, 3);
  EXPECT_EQ(fixture.fetches, 1);
}

TEST(SampleRows, FetchesNothingIfTheLargestLogitsAreEnough) {
  FetchedRows fixture;
  fixture.rows[1].forced = 2;
  std::vector<absl::StatusOr<SampledToken>> tokens(2, SampledToken{});
  SampleRows(fixture.rows, SerialFor, tokens, fixture.Fetch(absl::OkStatus()));
  EXPECT_EQ(tokens[0]->id, 3);
  EXPECT_EQ(tokens[1]->id, 2);
  EXPECT_EQ(fixture.fetches, 0);
}

TEST(SampleRows, LogprobsTakeTheWholeRow) {
  FetchedRows fixture;
  RowLogprobs logprobs = {.wanted = 1};
  fixture.rows[0].logprobs = &logprobs;
  std::vector<absl::StatusOr<SampledToken>> tokens(1, SampledToken{});
  SampleRows(std::span(fixture.rows).first(1), SerialFor, tokens, fixture.Fetch(absl::OkStatus()));
  EXPECT_EQ(fixture.fetches, 1);
  EXPECT_EQ(logprobs.top[0].id, 3);
}

TEST(SampleRows, AnErrorOfFetchingIsThatOfTheRowsThatNeedIt) {
  FetchedRows fixture;
  std::vector<absl::StatusOr<SampledToken>> tokens(2, SampledToken{});
  SampleRows(fixture.rows, SerialFor, tokens, fixture.Fetch(absl::InternalError("lost")));
  EXPECT_EQ(tokens[0]->id, 3);
  EXPECT_EQ(tokens[1].status().code(), absl::StatusCode::kInternal);
}

TEST(SampleRows, NoRowsAreNoWork) { SampleRows({}, SerialFor, {}); }

}  // namespace
}  // namespace infer
