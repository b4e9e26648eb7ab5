// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "tests/tools/serve/api/api_fixture.h"

namespace infer::serve {
namespace {

using ::testing::ElementsAre;

Json MessagesRequest() {
  return Json::parse(R"({"model": "tiny-tales", "max_tokens": 50, "system": "Be brief.",
      "messages": [{"role": "user", "content": "Hello"}]})");
}

class MessagesTest : public ApiFixture {
 protected:
  std::string Prompt() {
    return *BundledModel().tokenizer().Decode(runner_.submitted.back().request.prompt);
  }
};

TEST_F(MessagesTest, AWholeAnswer) {
  const auto to = Post("/v1/messages", MessagesRequest());
  EXPECT_THAT(Prompt(), ::testing::HasSubstr("<|im_start|>system\nBe brief.<|im_end|>"));
  EXPECT_THAT(Prompt(), ::testing::EndsWith("<think>\n\n</think>\n\n"));
  Admit(5);
  Say("Hi.");
  EndChoice(ChoiceEnd::kEndToken);
  End();
  const Json body = Json::parse(to->response.body);
  EXPECT_EQ(body["type"], "message");
  EXPECT_EQ(body["role"], "assistant");
  EXPECT_EQ(body["content"][0]["type"], "text");
  EXPECT_EQ(body["content"][0]["text"], "Hi.");
  EXPECT_EQ(body["stop_reason"], "end_turn");
  EXPECT_EQ(body["usage"]["cache_read_input_tokens"], 5);
  EXPECT_EQ(int64_t{body["usage"]["input_tokens"]} + 5,
            std::ssize(runner_.submitted.back().request.prompt));
}

TEST_F(MessagesTest, AStreamOpensAndClosesItsBlocks) {
  Json request = MessagesRequest();
  request["stream"] = true;
  request["thinking"] = {{"type", "enabled"}, {"budget_tokens", 1024}};
  request["tools"] = Json::parse(R"([{"name": "look", "input_schema": {"type": "object"}}])");
  const auto to = Post("/v1/messages", request);
  EXPECT_THAT(Prompt(), ::testing::EndsWith("<think>\n"));
  Answer(
      "Hm.\n</think>\n\nLet me look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {\"a\": "
      "1}}\n</tool_call>");
  std::vector<std::string> names;
  for (const SseEvent& event : ParseEvents(to->text())) {
    EXPECT_EQ(event.data["type"], event.name);
    if (names.empty() || names.back() != event.name) names.push_back(event.name);
  }
  EXPECT_THAT(names, ElementsAre("message_start", "content_block_start", "content_block_delta",
                                 "content_block_stop", "content_block_start", "content_block_delta",
                                 "content_block_stop", "content_block_start", "content_block_delta",
                                 "content_block_stop", "message_delta", "message_stop"));
  std::string thought, text, input;
  int index = -1;
  for (const SseEvent& event : ParseEvents(to->text())) {
    if (event.name == "content_block_start") {
      EXPECT_EQ(event.data["index"], ++index);
    }
    if (event.name == "message_delta") {
      EXPECT_EQ(event.data["delta"]["stop_reason"], "tool_use");
    }
    if (event.name != "content_block_delta") continue;
    const Json& delta = event.data["delta"];
    thought += delta.value("thinking", "");
    text += delta.value("text", "");
    input += delta.value("partial_json", "");
  }
  EXPECT_EQ(thought, "Hm.");
  EXPECT_EQ(text, "Let me look.");
  EXPECT_EQ(input, "{\"a\": 1}");
}

TEST_F(MessagesTest, ResultsOfToolsAreMessages) {
  Json request = MessagesRequest();
  request["messages"] = Json::parse(R"([
      {"role": "user", "content": "Weather?"},
      {"role": "assistant", "content": [{"type": "text", "text": "Looking."},
          {"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"city": "Oslo"}}]},
      {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1",
          "content": [{"type": "text", "text": "sunny"}]}, {"type": "text", "text": "Well?"}]}])");
  Post("/v1/messages", request);
  EXPECT_THAT(Prompt(), ::testing::HasSubstr("<tool_response>\nsunny\n</tool_response>"));
  EXPECT_THAT(Prompt(),
              ::testing::HasSubstr("{\"name\": \"look\", \"arguments\": {\"city\": \"Oslo\"}}"));
  EXPECT_THAT(Prompt(), ::testing::HasSubstr("<|im_start|>user\nWell?<|im_end|>"));
}

TEST_F(MessagesTest, StopSequencesAreNamed) {
  Json request = MessagesRequest();
  request["stop_sequences"] = {"X", "END"};
  const auto to = Post("/v1/messages", request);
  Admit();
  Say("One END two");
  End();
  const Json body = Json::parse(to->response.body);
  EXPECT_EQ(body["stop_reason"], "stop_sequence");
  EXPECT_EQ(body["stop_sequence"], "END");
  EXPECT_EQ(body["content"][0]["text"], "One ");
}

TEST_F(MessagesTest, ErrorsHaveTheirOwnForm) {
  Json request = MessagesRequest();
  request.erase("max_tokens");
  const auto to = Post("/v1/messages", request);
  EXPECT_EQ(to->response.status, 400);
  const Json body = Json::parse(to->response.body);
  EXPECT_EQ(body["type"], "error");
  EXPECT_EQ(body["error"]["type"], "invalid_request_error");
  runner_.submit_status = absl::UnavailableError("draining");
  EXPECT_EQ(Json::parse(Post("/v1/messages", MessagesRequest())->response.body)["error"]["type"],
            "overloaded_error");
}

TEST_F(MessagesTest, CountTokens) {
  const auto to = Post("/v1/messages/count_tokens", MessagesRequest());
  Post("/v1/messages", MessagesRequest());
  EXPECT_EQ(Json::parse(to->response.body)["input_tokens"],
            runner_.submitted.back().request.prompt.size());
}

}  // namespace
}  // namespace infer::serve
