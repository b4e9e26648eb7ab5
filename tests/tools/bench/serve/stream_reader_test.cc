// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/stream_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace infer::load {
namespace {

std::string Event(const std::string& json) { return "data: " + json + "\n\n"; }

TEST(StreamReader, CountsEventsWithTextOfEveryShape) {
  StreamReader reader;
  EXPECT_EQ(reader.Feed(Event(R"({"choices":[{"delta":{"role":"assistant","content":""}}]})")), 0);
  EXPECT_EQ(reader.Feed(Event(R"({"choices":[{"delta":{"reasoning_content":"a"}}]})") +
                        Event(R"({"choices":[{"delta":{"content":"b"}}]})") +
                        Event(R"({"choices":[{"delta":{"tool_calls":[{"index":0}]}}]})") +
                        Event(R"({"choices":[{"text":"c"}]})")),
            4);
  EXPECT_FALSE(reader.has_end());
  EXPECT_EQ(reader.Feed(Event(R"({"choices":[{"delta":{},"finish_reason":"stop"}]})")), 0);
  EXPECT_TRUE(reader.has_end());
  EXPECT_FALSE(reader.is_done());
  reader.Feed(Event("[DONE]"));
  EXPECT_TRUE(reader.is_done());
  EXPECT_FALSE(reader.is_bad() || reader.has_error());
}

TEST(StreamReader, KeepsTheUsage) {
  StreamReader reader;
  reader.Feed(Event(R"({"choices":[],"usage":null})"));
  EXPECT_EQ(reader.usage().output_tokens, -1);
  reader.Feed(Event(R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":20,)"
                    R"("prompt_tokens_details":{"cached_tokens":5}}})"));
  EXPECT_EQ(reader.usage().prompt_tokens, 10);
  EXPECT_EQ(reader.usage().output_tokens, 20);
  EXPECT_EQ(reader.usage().cached_tokens, 5);
}

TEST(StreamReader, TellsErrorsFromNonsense) {
  StreamReader error;
  error.Feed(Event(R"({"error":{"message":"no"}})"));
  EXPECT_TRUE(error.has_error());
  EXPECT_FALSE(error.is_bad());
  for (const char* data : {"hello", "[1,2]", "{", "7"}) {
    StreamReader reader;
    EXPECT_EQ(reader.Feed(Event(data)), 0);
    EXPECT_TRUE(reader.is_bad()) << data;
  }
}

TEST(StreamReader, MembersOfOtherTypesCountAsAbsent) {
  for (const char* data :
       {R"({"choices":7})", R"({"choices":[7,null,{"delta":[]},{"text":1}]})",
        R"({"choices":[{"delta":{"content":{},"tool_calls":{}},"finish_reason":3}]})",
        R"({"usage":{"prompt_tokens":"x","prompt_tokens_details":[]}})", R"({"usage":[]})"}) {
    StreamReader reader;
    EXPECT_EQ(reader.Feed(Event(data)), 0);
    EXPECT_FALSE(reader.is_bad()) << data;
    EXPECT_EQ(reader.usage().prompt_tokens, -1);
  }
}

TEST(UsageOf, ReadsABody) {
  EXPECT_EQ(UsageOf(R"({"usage":{"prompt_tokens":3}})").prompt_tokens, 3);
  EXPECT_EQ(UsageOf("nothing").prompt_tokens, -1);
  EXPECT_EQ(UsageOf("").prompt_tokens, -1);
}

}  // namespace
}  // namespace infer::load
