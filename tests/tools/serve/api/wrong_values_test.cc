// SPDX-License-Identifier: Apache-2.0
//
// Every parameter with values of wrong types and beyond its range: a 400 that names its path, and
// nothing reaches the runner.
#include <gmock/gmock.h>

#include "tests/tools/serve/api/api_fixture.h"

namespace infer::serve {
namespace {

struct Case {
  std::string path;   // of the route
  std::string name;   // of the parameter
  std::string value;  // JSON
  std::string param;  // expected in the error; empty: the name
};

Json Valid(const std::string& route) {
  const Json messages = Json::parse(R"([{"role": "user", "content": "Hi"}])");
  if (route == "/v1/completions") return {{"prompt", "Hi"}};
  if (route == "/v1/responses") return {{"input", "Hi"}};
  if (route == "/v1/messages") return {{"messages", messages}, {"max_tokens", 5}};
  return {{"messages", messages}};
}

void AddNumbers(std::vector<Case>* cases) {
  struct Number {
    std::string name;
    std::vector<std::string> wrong;
  };
  const std::vector<std::string> kTypes = {"\"1\"", "true", "[]", "{}", "[1]"};
  const Number kNumbers[] = {
      {"temperature", {"-0.1", "2.1", "1e99", "-1e99"}},
      {"top_p", {"-0.1", "1.1"}},
      {"top_k", {"-2", "1.5", "99999999", "1e30"}},
      {"min_p", {"-0.1", "1"}},
      {"seed", {"1.5", "1e30", "-1e30"}},
      {"presence_penalty", {"-2.1", "2.1"}},
      {"frequency_penalty", {"-2.1", "2.1"}},
      {"repeat_penalty", {"0", "-1", "11"}},
      {"repeat_last_n", {"-1", "99999999", "0.5"}},
      {"priority", {"-1001", "1001", "0.5"}},
  };
  for (const std::string route : {"/v1/chat/completions", "/v1/completions", "/v1/responses"}) {
    for (const Number& number : kNumbers) {
      for (const std::string& value : number.wrong)
        cases->push_back({route, number.name, value, ""});
      for (const std::string& value : kTypes) cases->push_back({route, number.name, value, ""});
    }
  }
}

std::vector<Case> Cases() {
  const std::string chat = "/v1/chat/completions";
  const std::string completions = "/v1/completions";
  const std::string responses = "/v1/responses";
  const std::string messages = "/v1/messages";
  std::vector<Case> cases = {
      {chat, "max_tokens", "0", ""},
      {chat, "max_tokens", "-5", ""},
      {chat, "max_completion_tokens", "\"many\"", ""},
      {chat, "n", "0", ""},
      {chat, "n", "17", ""},
      {chat, "n", "5", ""},
      {chat, "stream", "1", ""},
      {chat, "stream_options", "true", ""},
      {chat, "stream_options", R"({"include_usage": 1})", "stream_options.include_usage"},
      {chat, "stop", "5", ""},
      {chat, "stop", R"([""])", "stop[0]"},
      {chat, "stop", R"(["a", 5])", "stop[1]"},
      {chat, "logprobs", "1", ""},
      {chat, "top_logprobs", "3", ""},
      {chat, "top_logprobs", "21", ""},
      {chat, "logit_bias", "[]", ""},
      {chat, "logit_bias", R"({"x": 1})", ""},
      {chat, "logit_bias", R"({"5": 101})", "logit_bias.5"},
      {chat, "logit_bias", R"({"5": "1"})", "logit_bias.5"},
      {chat, "logit_bias", R"({"999999": 1})", "logit_bias.999999"},
      {chat, "response_format", "\"json\"", ""},
      {chat, "response_format", R"({"type": "xml"})", "response_format.type"},
      {chat, "response_format", R"({"type": "json_schema"})", "response_format.json_schema.schema"},
      {chat, "response_format",
       R"({"type": "json_schema", "json_schema": {"name": "a", "schema": {"not": {}}}})",
       "response_format.json_schema.schema"},
      {chat, "tools", "{}", ""},
      {chat, "tools", "[5]", "tools[0]"},
      {chat, "tools", R"([{"type": "code_interpreter"}])", "tools[0].type"},
      {chat, "tools", R"([{"type": "function"}])", "tools[0].function"},
      {chat, "tools", R"([{"type": "function", "function": {}}])", "tools[0].function.name"},
      {chat, "tools", R"([{"type": "function", "function": {"name": "a", "parameters": 5}}])",
       "tools[0].function.parameters"},
      {chat, "tool_choice", "\"maybe\"", ""},
      {chat, "tool_choice", "\"required\"", ""},
      {chat, "tool_choice", R"({"type": "function"})", "tool_choice.name"},
      {chat, "parallel_tool_calls", "\"yes\"", ""},
      {chat, "reasoning_effort", "\"extreme\"", ""},
      {chat, "reasoning", "true", ""},
      {chat, "reasoning", R"({"max_tokens": -1})", "reasoning.max_tokens"},
      {chat, "chat_template_kwargs", R"({"enable_thinking": "no"})",
       "chat_template_kwargs.enable_thinking"},
      {chat, "thinking", R"({"type": "sometimes"})", "thinking.type"},
      {chat, "cache_salt", "5", ""},
      {chat, "model", "5", ""},
      {chat, "functions", R"([{"name": "f"}])", ""},
      {chat, "messages", "[]", ""},
      {chat, "messages", "{}", ""},
      {chat, "messages", "[5]", "messages[0]"},
      {chat, "messages", R"([{"content": "a"}])", "messages[0].role"},
      {chat, "messages", R"([{"role": "robot", "content": "a"}])", "messages[0].role"},
      {chat, "messages", R"([{"role": "user"}])", "messages[0].content"},
      {chat, "messages", R"([{"role": "user", "content": 5}])", "messages[0].content"},
      {chat, "messages", R"([{"role": "user", "content": [{"type": "image_url"}]}])",
       "messages[0].content[0].type"},
      {chat, "messages", R"([{"role": "assistant", "tool_calls": [{}]}])",
       "messages[0].tool_calls[0].function"},
      {completions, "prompt", "5", ""},
      {completions, "prompt", "[]", ""},
      {completions, "prompt", "[-1]", "prompt[0]"},
      {completions, "prompt", "[99999]", "prompt[0]"},
      {completions, "prompt", "[\"a\", 5]", "prompt[1]"},
      {completions, "echo", "true", ""},
      {completions, "suffix", "\"end\"", ""},
      {completions, "best_of", "3", ""},
      {completions, "logprobs", "true", ""},
      {completions, "logprobs", "-1", ""},
      {completions, "logprobs", "21", ""},
      {responses, "input", "5", ""},
      {responses, "input", "[]", ""},
      {responses, "input", R"([{"type": "item_reference"}])", "input[0].type"},
      {responses, "input", R"([{"role": "user", "content": [{"type": "input_image"}]}])",
       "input[0].content[0].type"},
      {responses, "previous_response_id", "\"resp_1\"", ""},
      {responses, "background", "true", ""},
      {responses, "conversation", "\"conv\"", ""},
      {responses, "text", R"({"format": {"type": "json_schema"}})", "text.format.schema"},
      {responses, "tools", R"([{"type": "web_search"}])", "tools[0].type"},
      {responses, "truncation", "\"auto\"", ""},
      {responses, "max_output_tokens", "0", ""},
      {responses, "instructions", "5", ""},
      {messages, "max_tokens", "0", ""},
      {messages, "messages", "5", ""},
      {messages, "messages", R"([{"role": "system", "content": "a"}])", "messages[0].role"},
      {messages, "messages", R"([{"role": "user", "content": [{"type": "image"}]}])",
       "messages[0].content[0].type"},
      {messages, "temperature", "1.5", ""},
      {messages, "stop_sequences", "[5]", "stop_sequences[0]"},
      {messages, "system", "5", ""},
      {messages, "thinking", "true", ""},
      {messages, "tool_choice", "\"auto\"", ""},
      {messages, "tool_choice", R"({"type": "any"})", ""},
      {messages, "tools", R"([{"name": ""}])", "tools[0].name"},
  };
  AddNumbers(&cases);
  return cases;
}

class WrongValuesTest : public ApiFixture {};

TEST_F(WrongValuesTest, EachIsA400WithItsPath) {
  const std::vector<Case> cases = Cases();
  EXPECT_GT(cases.size(), 250u);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.path + " " + one.name + " " + one.value);
    Json body = Valid(one.path);
    body[one.name] = Json::parse(one.value);
    const auto to = Post(one.path, body);
    EXPECT_EQ(to->response.status, 400) << to->response.body;
    EXPECT_TRUE(runner_.submitted.empty());
    if (to->response.status != 400) continue;
    const Json error = Json::parse(to->response.body)["error"];
    EXPECT_EQ(error["type"], "invalid_request_error");
    const std::string param = one.param.empty() ? one.name : one.param;
    EXPECT_THAT(std::string(error["message"]), ::testing::HasSubstr(param));
    if (one.path != "/v1/messages") {
      EXPECT_EQ(error["param"], param);
    }
  }
}

TEST_F(WrongValuesTest, WhatIsNotJson) {
  const std::string kBodies[] = {"",
                                 "nonsense",
                                 "{",
                                 "[]",
                                 "5",
                                 "\"text\"",
                                 "{\"messages\": }",
                                 std::string("{\"a\": \"\xff\"}"),
                                 std::string("\x00\x01", 2),
                                 std::string(100000, '['),
                                 "{\"a\":" + std::string(100000, '[')};
  for (const std::string path :
       {"/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/tokenize",
        "/detokenize", "/apply-template", "/v1/messages/count_tokens"}) {
    for (const std::string& body : kBodies) {
      const auto to = Send("POST", path, body);
      EXPECT_EQ(to->response.status, 400) << path << " " << body.substr(0, 20);
      EXPECT_TRUE(Json::accept(to->response.body));
    }
  }
}

TEST_F(WrongValuesTest, NullMeansNotGiven) {
  Json body = Valid("/v1/chat/completions");
  for (const char* name : {"temperature", "n", "stop", "tools", "tool_choice", "response_format",
                           "stream", "logit_bias", "seed", "functions"}) {
    body[name] = nullptr;
  }
  Post("/v1/chat/completions", body);
  EXPECT_EQ(runner_.submitted.size(), 1u);
}

}  // namespace
}  // namespace infer::serve
