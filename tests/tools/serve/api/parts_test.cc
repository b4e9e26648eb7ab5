// SPDX-License-Identifier: Apache-2.0
//
// The small parts of the API layer on their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/serve/api/choice_reader.h"
#include "tools/serve/api/json_text.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/request_json.h"
#include "tools/serve/api/work_queue.h"

namespace infer::serve {
namespace {

TEST(JsonTextTest, EveryByteComesBack) {
  std::string text;
  for (int i = 0; i < 128; ++i) text += static_cast<char>(i);
  text += "\xC3\xA9\xF0\x9F\x98\x80";
  std::string out;
  AppendJsonString(text, &out);
  EXPECT_EQ(Json::parse(out), text);
  EXPECT_EQ(out.find('\n'), std::string::npos) << "an event is one line";
}

TEST(JsonTextTest, NumbersAreShortAndFinite) {
  std::string out;
  AppendJsonNumber(-0.1f, &out);
  EXPECT_EQ(out, "-0.1");
  out.clear();
  AppendJsonNumber(-std::numeric_limits<float>::infinity(), &out);
  EXPECT_EQ(out, "-9999");
}

TEST(EmptyLineTrimmerTest, EndsGoAndTheMiddleStays) {
  EmptyLineTrimmer trimmer;
  std::string out;
  for (const char* piece : {"\n", "\n\na", "\n", "\n", "b\n", "\n"})
    trimmer.Push(piece, true, &out);
  EXPECT_EQ(out, "a\n\nb");
  EXPECT_EQ(trimmer.TakeHeld(), "\n\n");
  EXPECT_EQ(trimmer.TakeHeld(), "");
}

TEST(WorkQueueTest, IsBounded) {
  std::promise<void> started, go;
  std::atomic<int> done = 0;
  {
    WorkQueue queue(2, 100);
    ASSERT_TRUE(queue.Post(1000, [&] {
      started.set_value();
      go.get_future().wait();
    }));
    started.get_future().wait();
    EXPECT_TRUE(queue.Post(60, [&] { ++done; }));
    EXPECT_FALSE(queue.Post(60, [&] { ++done; })) << "bytes";
    EXPECT_TRUE(queue.Post(10, [&] { ++done; }));
    EXPECT_FALSE(queue.Post(10, [&] { ++done; })) << "jobs";
    EXPECT_FALSE(queue.PostIdle([&] { done += 100; }));
    go.set_value();
  }
  EXPECT_EQ(done, 2);
}

TEST(ParseBody, RefusesWhatIsDeep) {
  const auto nested = [](size_t depth) {
    return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(ParseBody(nested(kMaxJsonDepth)).status(), absl::OkStatus());
  EXPECT_EQ(ParseBody(nested(kMaxJsonDepth + 1)).status().message(),
            "the body is nested deeper than 64 levels");
}

// Where each key were compared with all before it, this would take minutes.
TEST(ParseBody, TakesObjectsWithAnyNumberOfMembers) {
  constexpr size_t kMembers = 100'000;
  std::string text = "{\"a\":{";
  for (size_t i = 0; i < kMembers; ++i) StrAppend(&text, i == 0 ? "\"" : ",\"", i, "\":0");
  const absl::StatusOr<Json> body = ParseBody(text + ",\"7\":1}}");
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ((*body)["a"].size(), kMembers);
  EXPECT_EQ((*body)["a"]["7"], 1);
}

}  // namespace
}  // namespace infer::serve
