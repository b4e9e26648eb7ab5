// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/tools/serve/api/api_fixture.h"

namespace infer::serve {
namespace {

class ResponsesTest : public ApiFixture {
 protected:
  std::string Prompt() {
    return *BundledModel().tokenizer().Decode(runner_.submitted.back().request.prompt);
  }
};

constexpr std::string_view kAnswer =
    "<think>\nHm.\n</think>\n\nLet me look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": "
    "{\"a\": 1}}\n</tool_call>";

const Json kTools = Json::parse(
    R"([{"type": "function", "name": "look", "parameters": {"type": "object"}, "strict": false}])");

TEST_F(ResponsesTest, AWholeAnswer) {
  const auto to = Post("/v1/responses", {{"input", "Hello"},
                                         {"instructions", "Be brief."},
                                         {"tools", kTools},
                                         {"metadata", {{"a", "b"}}},
                                         {"reasoning", {{"effort", "high"}}}});
  EXPECT_THAT(Prompt(), ::testing::HasSubstr("Be brief."));
  Answer(kAnswer);
  const Json body = Json::parse(to->response.body);
  EXPECT_EQ(body["object"], "response");
  EXPECT_EQ(body["status"], "completed");
  EXPECT_EQ(body["metadata"], Json({{"a", "b"}}));
  EXPECT_EQ(body["instructions"], "Be brief.");
  ASSERT_EQ(body["output"].size(), 3u);
  EXPECT_EQ(body["output"][0]["type"], "reasoning");
  EXPECT_EQ(body["output"][0]["content"][0]["text"], "Hm.");
  EXPECT_EQ(body["output"][1]["type"], "message");
  EXPECT_EQ(body["output"][1]["content"][0]["text"], "Let me look.");
  EXPECT_EQ(body["output"][2]["type"], "function_call");
  EXPECT_EQ(body["output"][2]["arguments"], "{\"a\": 1}");
  EXPECT_EQ(body["usage"]["input_tokens_details"]["cached_tokens"], 0);
}

TEST_F(ResponsesTest, AStreamAnnouncesAndFinishesEachItem) {
  const auto to = Post("/v1/responses", {{"input", "Hello"}, {"tools", kTools}, {"stream", true}});
  Answer(kAnswer);
  const std::vector<SseEvent> events = ParseEvents(to->text());
  std::vector<std::string> names;
  int64_t number = 0;
  for (const SseEvent& event : events) {
    EXPECT_EQ(event.data["type"], event.name);
    EXPECT_EQ(event.data["sequence_number"], number++);
    if (names.empty() || names.back() != event.name) names.push_back(event.name);
  }
  EXPECT_THAT(names, ::testing::ElementsAre(
                         "response.created", "response.in_progress",                              //
                         "response.output_item.added", "response.content_part.added",             //
                         "response.reasoning_text.delta", "response.reasoning_text.done",         //
                         "response.content_part.done", "response.output_item.done",               //
                         "response.output_item.added", "response.content_part.added",             //
                         "response.output_text.delta", "response.output_text.done",               //
                         "response.content_part.done", "response.output_item.done",               //
                         "response.output_item.added", "response.function_call_arguments.delta",  //
                         "response.function_call_arguments.done", "response.output_item.done",    //
                         "response.completed"));
  const Json& response = events.back().data["response"];
  EXPECT_EQ(response["output"].size(), 3u);
  EXPECT_EQ(response["output"][1]["content"][0]["text"], "Let me look.");
  EXPECT_EQ(response["id"], events.front().data["response"]["id"]);
}

TEST_F(ResponsesTest, ACutAnswerIsIncomplete) {
  const auto to = Post("/v1/responses", {{"input", "Hello"}, {"max_output_tokens", 1}});
  Answer("Hi", ChoiceEnd::kMaxTokens);
  const Json body = Json::parse(to->response.body);
  EXPECT_EQ(body["status"], "incomplete");
  EXPECT_EQ(body["incomplete_details"]["reason"], "max_output_tokens");
}

TEST_F(ResponsesTest, ItemsOfOneAnswerAreOneMessage) {
  Post("/v1/responses", {{"input", Json::parse(R"([
      {"role": "user", "content": [{"type": "input_text", "text": "Weather?"}]},
      {"type": "reasoning", "id": "rs_1", "summary": [],
       "content": [{"type": "reasoning_text", "text": "Look."}]},
      {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "One."}]},
      {"type": "function_call", "call_id": "c", "name": "look", "arguments": "{\"a\": 1}"},
      {"type": "function_call_output", "call_id": "c", "output": "sunny"}])")}});
  EXPECT_THAT(Prompt(),
              ::testing::HasSubstr("<|im_start|>assistant\n<think>\nLook.\n</think>\n\nOne.\n"
                                   "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"a\": 1}}\n"
                                   "</tool_call><|im_end|>"));
  EXPECT_THAT(Prompt(), ::testing::HasSubstr("<tool_response>\nsunny\n</tool_response>"));
}

TEST_F(ResponsesTest, ASchemaBindsTheText) {
  Post("/v1/responses",
       {{"input", "Hello"},
        {"text", Json::parse(R"({"format": {"type": "json_schema", "name": "a", "schema":
            {"type": "object", "properties": {"b": {"type": "integer"}}, "required": ["b"]}}})")}});
  ASSERT_EQ(runner_.submitted.size(), 1u);
  EXPECT_TRUE(runner_.submitted[0].request.new_constraint);
}

}  // namespace
}  // namespace infer::serve
