// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/call_tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/trace/perfetto.h"
#include "tests/runtime/trace/read_perfetto.h"
#include "tests/support/sample_program.h"

namespace infer {
namespace {

using test::ReadPerfetto;
using test::ReadSlice;
using test::ReadTrace;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int kSteps = 10;

class CallTracerTest : public ::testing::Test {
 protected:
  // Thread 0 computes each of the steps for 100 ns; both leave the barrier behind it 20 ns later.
  void Call(int regime, SymbolValues symbols, int64_t start_ns) {
    int64_t now = start_ns + 5;
    for (int i = 0; i < kSteps; ++i) {
      events_.thread(0)[i] = {now, now + 100, now + 120, 0};
      events_.thread(1)[i] = {now + 1, now + 3, now + 120, 0};
      now += 120;
    }
    tracer_.AfterCall({regime, symbols, start_ns, now + 5, &events_});
  }

  ReadTrace Finish() {
    EXPECT_EQ(tracer_.Finish(), absl::OkStatus());
    return ReadPerfetto(bytes_);
  }

  Program program_ = test::SampleProgram();
  StepEvents events_{kSteps, 2};
  std::string bytes_;
  CallTracer tracer_{program_,
                     std::vector<int>{2},
                     {{"policy", "p"}},
                     MakePerfettoEncoder(),
                     [this](std::string_view bytes) {
                       bytes_ += bytes;
                       return absl::OkStatus();
                     },
                     2 * kSteps * 2 * sizeof(StepEvent)};  // two calls
};

std::vector<ReadSlice> Named(const std::vector<ReadSlice>& slices, std::string_view name) {
  std::vector<ReadSlice> found;
  std::ranges::copy_if(slices, std::back_inserter(found),
                       [&](const ReadSlice& slice) { return slice.name == name; });
  return found;
}

TEST_F(CallTracerTest, ShowsCallStepsAndWaits) {
  Call(0, {1, 1, 7}, 5000);
  const ReadTrace trace = Finish();
  EXPECT_THAT(trace.problems, IsEmpty());
  const std::vector<ReadSlice>& first = trace.Named("thread 0").slices;
  ASSERT_THAT(first, SizeIs(1 + 2 * kSteps));
  EXPECT_EQ(first[0].name, "call T=1");
  EXPECT_EQ(first[0].start_ns, 0u);  // the trace begins with its first call
  EXPECT_EQ(first[0].end_ns, 5u + 120 * kSteps + 5);
  EXPECT_THAT(first[0].fields, Contains(Pair("S", "7")));
  EXPECT_THAT(first[0].fields, Contains(Pair("regime", "T 1..4")));
  EXPECT_EQ(first[1].name, "embed embed");
  EXPECT_EQ(first[1].start_ns, 5u);
  EXPECT_EQ(first[1].end_ns, 105u);
  EXPECT_EQ(first[1].depth, 1);
  EXPECT_EQ(first[2].name, "wait");
  EXPECT_EQ(first[2].end_ns, 125u);
  EXPECT_THAT(first[2].fields, Contains(Pair("after", "embed embed")));
}

TEST_F(CallTracerTest, AThreadWithoutAPartInAStepOnlyWaits) {
  Call(0, {1, 1, 7}, 5000);
  const ReadTrace trace = Finish();
  const std::vector<ReadSlice>& second = trace.Named("thread 1").slices;
  ASSERT_THAT(second, SizeIs(kSteps));
  EXPECT_EQ(second[0].name, "wait");
  EXPECT_EQ(second[0].start_ns, 6u);
  EXPECT_EQ(second[0].end_ns, 125u);
  EXPECT_EQ(second[0].depth, 0);
}

TEST_F(CallTracerTest, AThreadThatNeverSawAStepIsNotShown) {
  tracer_.AfterCall({0, {1, 1, 1}, 100, 200, &events_});
  EXPECT_THAT(Finish().Named("thread 1").slices, IsEmpty());
}

TEST_F(CallTracerTest, StepsSayLayerAndShapesOfTheirCall) {
  Call(0, {1, 1, 1}, 1000);
  Call(0, {3, 1, 4}, 9000);
  const ReadTrace trace = Finish();
  EXPECT_THAT(trace.problems, IsEmpty());
  const std::vector<ReadSlice> steps = Named(trace.Named("thread 0").slices, "attn/q_proj linear");
  ASSERT_THAT(steps, SizeIs(2));
  EXPECT_EQ(steps[0].category, "scalar");
  EXPECT_THAT(steps[0].fields, Contains(Pair("layer", "0")));
  EXPECT_THAT(steps[0].fields, Contains(Pair("scope", "layer.0/attn/q_proj")));
  EXPECT_THAT(steps[0].fields, Contains(Pair("inputs", "f32[1,64], q4_0[64,64]")));
  EXPECT_THAT(steps[0].fields, Contains(Pair("results", "f32[1,64]")));
  EXPECT_THAT(steps[0].fields, Contains(Pair("kernel", "linear_scalar")));
  EXPECT_THAT(steps[0].fields, Contains(Pair("step", "2")));
  EXPECT_THAT(steps[1].fields, Contains(Pair("inputs", "f32[3,64], q4_0[64,64]")));
  const std::vector<ReadSlice> embed = Named(trace.Named("thread 0").slices, "embed embed");
  EXPECT_EQ(embed[0].fields.count("layer"), 0u);
}

TEST_F(CallTracerTest, RegimesHaveStepsOfTheirOwn) {
  Call(0, {1, 1, 1}, 1000);
  Call(1, {6, 1, 7}, 9000);
  Call(0, {1, 1, 8}, 19000);
  const ReadTrace trace = Finish();
  EXPECT_THAT(trace.problems, IsEmpty());
  const std::vector<ReadSlice> steps =
      Named(trace.Named("thread 0").slices, "output+/output/a+/output/b linear");
  ASSERT_THAT(steps, SizeIs(3));
  EXPECT_EQ(steps[2].fields, steps[0].fields);
  EXPECT_THAT(Named(trace.Named("thread 0").slices, "call T=6")[0].fields,
              Contains(Pair("regime", "T 5..16")));
}

TEST_F(CallTracerTest, CountsTokensAndBytesOfTheCache) {
  Call(0, {3, 1, 3}, 1000);
  Call(0, {1, 1, 4}, 9000);
  const ReadTrace trace = Finish();
  EXPECT_THAT(trace.Named("tokens").values,
              ElementsAre(Pair(0, 0), Pair(1210, 3), Pair(8000, 3), Pair(9210, 4)));
  // K and V of 32 elements of two bytes.
  EXPECT_THAT(
      trace.Named("KV cache").values,
      ElementsAre(Pair(0, 0), Pair(1210, 3 * 128), Pair(8000, 3 * 128), Pair(9210, 4 * 128)));
}

TEST_F(CallTracerTest, HandsOnWhatFillsItsMemory) {
  Call(0, {1, 1, 1}, 1000);
  EXPECT_THAT(bytes_, IsEmpty());
  Call(0, {1, 1, 2}, 9000);
  const size_t two_calls = bytes_.size();
  EXPECT_GT(two_calls, 0u);
  EXPECT_THAT(ReadPerfetto(bytes_).problems, IsEmpty());
  Call(0, {1, 1, 3}, 19000);
  EXPECT_EQ(bytes_.size(), two_calls);
  Call(0, {1, 1, 4}, 29000);
  EXPECT_LT(bytes_.size() - two_calls, two_calls);  // strings are not repeated
  EXPECT_THAT(ReadPerfetto(bytes_).problems, IsEmpty());
}

// Every rank runs the serial steps, so each has a lane with all of them.
TEST(CallTracer, ShowsEachRank) {
  const Program program = test::SampleProgram();
  std::string bytes;
  CallTracer tracer(program, std::vector<int>{1, 2}, {}, MakePerfettoEncoder(),
                    [&](std::string_view more) {
                      bytes += more;
                      return absl::OkStatus();
                    });
  StepEvents events(kSteps, 3);
  for (int thread : {0, 1, 2}) {
    int64_t now = 105;
    for (StepEvent& event : events.thread(thread)) {
      const int64_t work = thread == 2 ? 0 : 100 - 10 * thread;  // thread 2 only waits
      event = {now, now + work, now + 120, 0};
      now += 120;
    }
  }
  tracer.AfterCall({0, {1, 1, 1}, 100, 2000, &events});
  ASSERT_EQ(tracer.Finish(), absl::OkStatus());
  const ReadTrace trace = ReadPerfetto(bytes);
  auto steps = [&](std::string_view thread) {
    return std::ranges::count_if(trace.Named(thread).slices, [](const ReadSlice& slice) {
      return slice.category != "wait" && slice.category != "call";
    });
  };
  EXPECT_GT(steps("rank 0 thread 0"), 0);
  EXPECT_EQ(steps("rank 0 thread 0"), steps("rank 1 thread 0"));
}

TEST(CallTracer, KeepsTheFirstFailureAndStopsThere) {
  const Program program = test::SampleProgram();
  int writes = 0;
  CallTracer tracer(
      program, std::vector<int>{1}, {}, MakePerfettoEncoder(),
      [&](std::string_view) -> absl::Status {
        return absl::AbortedError(++writes == 1 ? "disk full" : "again");
      },
      1);
  StepEvents events(kSteps, 1);
  tracer.AfterCall({0, {1, 1, 1}, 100, 200, &events});
  tracer.AfterCall({0, {1, 1, 2}, 300, 400, &events});
  EXPECT_EQ(tracer.Finish(), absl::AbortedError("disk full"));
  EXPECT_EQ(writes, 1);
}

}  // namespace
}  // namespace infer
