// SPDX-License-Identifier: Apache-2.0
//
// Anthropic's messages: an answer is a list of blocks, and a stream opens and closes them one by
// one.

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/serve/api/answer_json.h"
#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/json_text.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

std::string_view StopReason(const ChoiceAnswer& choice) {
  if (choice.stop_string) return "stop_sequence";
  switch (choice.finish) {
    case Finish::kLength:
      return "max_tokens";
    case Finish::kToolCalls:
      return "tool_use";
    case Finish::kStop:
      break;
  }
  return "end_turn";
}

// Tokens from the cache are counted apart from the others.
Json UsageOf(const AnswerUsage& usage) {
  return {{"input_tokens", usage.prompt_tokens - usage.cached_tokens},
          {"cache_creation_input_tokens", 0},
          {"cache_read_input_tokens", usage.cached_tokens},
          {"output_tokens", usage.completion_tokens}};
}

Json InputOf(const ToolCall& call) {
  const auto parsed = ParseBody(call.arguments);
  return parsed.ok() ? *parsed : Json::object();
}

class MessagesShape final : public AnswerShape {
 public:
  std::string Body(const Answer& answer) override {
    const ChoiceAnswer& choice = answer.choices[0];
    Json content = Json::array();
    if (!choice.thought.empty()) {
      content.push_back({{"type", "thinking"}, {"thinking", choice.thought}, {"signature", ""}});
    }
    if (!choice.content.empty()) {
      content.push_back({{"type", "text"}, {"text", choice.content}, {"citations", nullptr}});
    }
    for (const ToolCall& call : choice.calls) {
      content.push_back(
          {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", InputOf(call)}});
    }
    Json body = Message(answer);
    body["content"] = std::move(content);
    body["stop_reason"] = StopReason(choice);
    if (choice.stop_string) body["stop_sequence"] = *choice.stop_string;
    std::string facts;
    AppendServerFacts(answer.usage, &facts);
    body["infer"] = ParseJsonOrThrow(facts);
    return JsonText(body);
  }

  void Begin(const Answer& answer, std::string* out) override {
    Event("message_start", {{"message", Message(answer)}}, out);
  }
  void Add(const Answer& answer, size_t choice, const AnswerPiece& piece,
           std::string* out) override {
    if (piece.part == AnswerPart::kToolName) {
      const ToolCall& call = answer.choices[choice].calls.back();
      return Open(
          {{"type", "tool_use"}, {"id", call.id}, {"name", call.name}, {"input", Json::object()}},
          piece.part, out);
    }
    std::string_view type = "input_json_delta";
    std::string_view key = "partial_json";
    if (piece.part == AnswerPart::kThought) {
      OpenIfOther({{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}, piece.part, out);
      type = "thinking_delta";
      key = "thinking";
    } else if (piece.part == AnswerPart::kContent) {
      OpenIfOther({{"type", "text"}, {"text", ""}, {"citations", nullptr}}, piece.part, out);
      type = "text_delta";
      key = "text";
    }
    StrAppend(out, "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":",
              index_, ",\"delta\":{\"type\":\"", type, "\",\"", key, "\":");
    AppendJsonString(piece.text, out);
    *out += "}}\n\n";
  }
  void EndChoice(const Answer&, size_t, std::string* out) override { Close(out); }
  void End(const Answer& answer, std::string* out) override {
    const ChoiceAnswer& choice = answer.choices[0];
    Json delta = {{"stop_reason", StopReason(choice)}, {"stop_sequence", nullptr}};
    if (choice.stop_string) delta["stop_sequence"] = *choice.stop_string;
    Event("message_delta", {{"delta", std::move(delta)}, {"usage", UsageOf(answer.usage)}}, out);
    Event("message_stop", Json::object(), out);
  }
  void Fail(const ApiError& error, std::string* out) override {
    StrAppend(out, "event: error\ndata: ", ErrorJson(error, ErrorDialect::kAnthropic), "\n\n");
  }

  std::string_view ping() const override { return "event: ping\ndata: {\"type\":\"ping\"}\n\n"; }

 private:
  static Json Message(const Answer& answer) {
    return {{"id", StrCat("msg_", answer.id)},
            {"type", "message"},
            {"role", "assistant"},
            {"model", answer.model},
            {"content", Json::array()},
            {"stop_reason", nullptr},
            {"stop_sequence", nullptr},
            {"usage", UsageOf(answer.usage)}};
  }
  static void Event(std::string_view type, const Json& members, std::string* out) {
    Json data = {{"type", type}};
    data.update(members);
    StrAppend(out, "event: ", type, "\ndata: ", JsonText(data), "\n\n");
  }
  void OpenIfOther(const Json& block, AnswerPart part, std::string* out) {
    if (!is_open_ || part_ != part) Open(block, part, out);
  }
  void Open(const Json& block, AnswerPart part, std::string* out) {
    Close(out);
    ++index_;
    Event("content_block_start", {{"index", index_}, {"content_block", block}}, out);
    is_open_ = true;
    part_ = part;
  }
  void Close(std::string* out) {
    if (!is_open_) return;
    if (part_ == AnswerPart::kThought) {
      Event("content_block_delta",
            {{"index", index_}, {"delta", {{"type", "signature_delta"}, {"signature", ""}}}}, out);
    }
    Event("content_block_stop", {{"index", index_}}, out);
    is_open_ = false;
  }

  int index_ = -1;  // of the block that is open or was the last
  bool is_open_ = false;
  AnswerPart part_ = AnswerPart::kContent;
};

}  // namespace

std::unique_ptr<AnswerShape> NewMessagesShape(const GenerationRequest&) {
  return std::make_unique<MessagesShape>();
}

}  // namespace infer::serve
