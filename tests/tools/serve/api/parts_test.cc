// SPDX-License-Identifier: Apache-2.0
//
// The small parts of the API layer on their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <nlohmann/json.hpp>

#include "frontends/grammar/check_text.h"
#include "frontends/grammar/json_schema.h"
#include "tools/serve/api/choice_reader.h"
#include "tools/serve/api/json_text.h"
#include "tools/serve/api/tool_call_schema.h"
#include "tools/serve/api/work_queue.h"

namespace infer::serve {
namespace {

using Json = nlohmann::ordered_json;

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

TEST(ToolCallSchemaTest, ReferencesOfEachToolAreItsOwn) {
  GenerationRequest request;
  request.tool_choice = ToolChoice::kRequired;
  request.tools = {{"a", "", R"({"type": "object", "properties": {"x": {"$ref": "#/$defs/n"}},
                    "required": ["x"], "$defs": {"n": {"type": "integer"}}})"},
                   {"b", "", R"({"type": "object", "properties": {"x": {"$ref": "#/$defs/n"}},
                    "required": ["x"], "$defs": {"n": {"type": "boolean"}}})"},
                   {"c", "", ""}};
  const auto grammar = CompileJsonSchema(*ToolCallSchema(request));
  ASSERT_TRUE(grammar.ok()) << grammar.status();
  const auto accepts = [&](std::string_view text) { return !CheckText(*grammar, text); };
  EXPECT_TRUE(accepts(R"({"name": "a", "arguments": {"x": 5}})"));
  EXPECT_FALSE(accepts(R"({"name": "a", "arguments": {"x": true}})"));
  EXPECT_TRUE(accepts(R"({"name": "b", "arguments": {"x": true}})"));
  EXPECT_TRUE(accepts(R"({"name": "c", "arguments": {}})"));
  EXPECT_FALSE(accepts(R"({"name": "d", "arguments": {}})"));
  request.tool_choice = ToolChoice::kNamed;
  request.tool_name = "b";
  const auto named = CompileJsonSchema(*ToolCallSchema(request));
  ASSERT_TRUE(named.ok()) << named.status();
  EXPECT_TRUE(CheckText(*named, R"({"name": "a", "arguments": {"x": 5}})"));
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

}  // namespace
}  // namespace infer::serve
