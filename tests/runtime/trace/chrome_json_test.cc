// SPDX-License-Identifier: Apache-2.0
#include "runtime/trace/chrome_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/base/json.h"

namespace infer {
namespace {

class ChromeJsonTest : public ::testing::Test {
 protected:
  void Begin() {
    encoder_->Begin({.process = "infer \"x\"",
                     .threads = {"thread 0", "thread 1"},
                     .counters = {{"tokens", false}, {"KV cache", true}},
                     .facts = {{"policy", "auto"}, {"threads", int64_t{2}}}},
                    &out_);
  }
  Json End() {
    encoder_->End(&out_);
    return Json::parse(out_);
  }

  std::unique_ptr<TraceEncoder> encoder_ = MakeChromeJsonEncoder();
  std::string out_;
};

TEST_F(ChromeJsonTest, SaysFactsAndNamesBeforeTheFirstEvent) {
  Begin();
  const Json trace = End();
  EXPECT_EQ(trace["otherData"], (Json{{"policy", "auto"}, {"threads", 2}}));
  const Json& events = trace["traceEvents"];
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(events[0]["name"], "process_name");
  EXPECT_EQ(events[0]["args"]["name"], "infer \"x\"");
  EXPECT_EQ(events[1]["name"], "thread_name");
  EXPECT_EQ(events[1]["args"]["name"], "thread 0");
  EXPECT_EQ(events[3]["tid"], 2);
  EXPECT_EQ(events[4]["name"], "thread_sort_index");
  for (const Json& event : events) {
    EXPECT_EQ(event["ph"], "M");
    for (const char* key : {"ts", "pid", "tid"}) EXPECT_TRUE(event.contains(key)) << event;
  }
}

TEST_F(ChromeJsonTest, WritesSlicesInMicrosecondsWithTheirLabels) {
  Begin();
  encoder_->Describe(3, {"q \"proj\"", "simd", {{"layer", int64_t{4}}, {"op", "linear"}}}, &out_);
  encoder_->BeginSlice(1, 3, 1'000'007, 2'000'507, 0, &out_);
  encoder_->EndSlice(1, 2'000'507, &out_);
  encoder_->BeginSlice(1, 3, 3'000'000, 3'000'090, 45, &out_);
  const Json trace = End();
  const Json& plain = trace["traceEvents"][5];
  EXPECT_EQ(plain, (Json{{"ph", "X"},
                         {"pid", 1},
                         {"tid", 2},
                         {"ts", 1000.007},
                         {"dur", 1000.5},
                         {"name", "q \"proj\""},
                         {"cat", "simd"},
                         {"args", {{"layer", 4}, {"op", "linear"}}}}));
  const Json& waiting = trace["traceEvents"][6];
  EXPECT_EQ(waiting["dur"], 0.09);
  EXPECT_EQ(waiting["args"]["inner_wait_us"], 0.045);
}

TEST_F(ChromeJsonTest, WritesCounters) {
  Begin();
  encoder_->Count(1, 1500, int64_t{5} << 33, &out_);
  const Json trace = End();
  EXPECT_EQ(trace["traceEvents"][5], (Json{{"ph", "C"},
                                           {"pid", 1},
                                           {"tid", 1},
                                           {"name", "KV cache"},
                                           {"args", {{"bytes", int64_t{5} << 33}}},
                                           {"ts", 1.5}}));
}

TEST_F(ChromeJsonTest, StaysJsonWhateverNamesHold) {
  Begin();
  encoder_->Describe(0, {"a\xff\n", "\x01", {{"scope", "\xc3("}}}, &out_);
  encoder_->BeginSlice(0, 0, 0, 1, 0, &out_);
  const Json trace = End();
  EXPECT_EQ(trace["traceEvents"][5]["name"], "a\xef\xbf\xbd\n");
}

}  // namespace
}  // namespace infer
