// SPDX-License-Identifier: Apache-2.0
//
// Chat completions. The order of a stream is what clients depend on: role, thought, content, calls,
// finish_reason, usage, [DONE].
#include <utility>

#include "ir/base/strings.h"
#include "tools/serve/api/answer_json.h"
#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/json_text.h"

namespace infer::serve {
namespace {

class ChatShape final : public AnswerShape {
 public:
  explicit ChatShape(const GenerationRequest& request)
      : logprobs_(request.logprobs), include_usage_(request.include_usage) {}

  std::string Body(const Answer& answer) override;

  void Begin(const Answer& answer, std::string* out) override {
    head_ = Head(answer, "chat.completion.chunk");
    for (size_t i = 0; i < answer.choices.size(); ++i) {
      Chunk(i, R"({"role":"assistant","content":""})", {}, "null", out);
    }
  }
  void Add(const Answer& answer, size_t choice, const AnswerPiece& piece,
           std::string* out) override {
    std::string delta = "{";
    switch (piece.part) {
      case AnswerPart::kThought:
        // Clients read one name or the other.
        delta += "\"reasoning_content\":";
        AppendJsonString(piece.text, &delta);
        delta += ",\"reasoning\":";
        AppendJsonString(piece.text, &delta);
        break;
      case AnswerPart::kContent:
        delta += "\"content\":";
        AppendJsonString(piece.text, &delta);
        break;
      case AnswerPart::kToolName:
        BeginCall(answer.choices[choice], &delta);
        break;
      case AnswerPart::kToolArguments:
        StrAppend(&delta, "\"tool_calls\":[{\"index\":", answer.choices[choice].calls.size() - 1,
                  ",\"function\":{\"arguments\":");
        AppendJsonString(piece.text, &delta);
        delta += "}}]";
        break;
    }
    delta += '}';
    Chunk(choice, delta, piece.logprobs, "null", out);
  }
  void EndChoice(const Answer& answer, size_t choice, std::string* out) override {
    const std::string finish = StrCat("\"", FinishName(answer.choices[choice].finish), "\"");
    Chunk(choice, "{}", {}, finish, out);
  }
  void End(const Answer& answer, std::string* out) override {
    if (include_usage_) {
      StrAppend(out, "data: ", head_, ",\"choices\":[],\"usage\":");
      AppendUsage(answer.usage, out);
      *out += ",\"infer\":";
      AppendServerFacts(answer.usage, out);
      *out += "}\n\n";
    }
    *out += "data: [DONE]\n\n";
  }
  void Fail(const ApiError& error, std::string* out) override {
    StrAppend(out, "data: ", ErrorJson(error, ErrorDialect::kOpenAi), "\n\n");
  }

 private:
  static std::string Head(const Answer& answer, std::string_view object) {
    std::string head = StrCat("{\"id\":\"chatcmpl-", answer.id, "\",\"object\":\"", object,
                              "\",\"created\":", answer.created, ",\"model\":");
    AppendJsonString(answer.model, &head);
    head += ",\"system_fingerprint\":\"infer\"";
    return head;
  }
  // The first delta of a call has everything but the arguments.
  static void BeginCall(const ChoiceAnswer& choice, std::string* delta) {
    const ToolCall& call = choice.calls.back();
    StrAppend(delta, "\"tool_calls\":[{\"index\":", choice.calls.size() - 1, ",\"id\":\"", call.id,
              "\",\"type\":\"function\",\"function\":{\"name\":");
    AppendJsonString(call.name, delta);
    *delta += ",\"arguments\":\"\"}}]";
  }
  void Chunk(size_t choice, std::string_view delta, const std::vector<LogprobEntry>& logprobs,
             std::string_view finish, std::string* out) const {
    StrAppend(out, "data: ", head_, ",\"choices\":[{\"index\":", choice, ",\"delta\":", delta,
              ",\"logprobs\":");
    Logprobs(logprobs, out);
    StrAppend(out, ",\"finish_reason\":", finish, "}]", include_usage_ ? ",\"usage\":null" : "",
              "}\n\n");
  }
  void Logprobs(const std::vector<LogprobEntry>& logprobs, std::string* out) const {
    if (!logprobs_ || logprobs.empty()) {
      *out += "null";
      return;
    }
    *out += "{\"content\":";
    AppendLogprobs(logprobs, out);
    *out += ",\"refusal\":null}";
  }
  void Message(const ChoiceAnswer& choice, std::string* out) const;

  const bool logprobs_;
  const bool include_usage_;
  std::string head_;  // of every chunk
};

void ChatShape::Message(const ChoiceAnswer& choice, std::string* out) const {
  *out += "{\"role\":\"assistant\",\"content\":";
  if (choice.content.empty() && !choice.calls.empty()) {
    *out += "null";
  } else {
    AppendJsonString(choice.content, out);
  }
  *out += ",\"refusal\":null";
  if (!choice.thought.empty()) {
    *out += ",\"reasoning_content\":";
    AppendJsonString(choice.thought, out);
    *out += ",\"reasoning\":";
    AppendJsonString(choice.thought, out);
  }
  for (size_t i = 0; i < choice.calls.size(); ++i) {
    const ToolCall& call = choice.calls[i];
    StrAppend(out, i == 0 ? ",\"tool_calls\":[" : ",", "{\"id\":\"", call.id,
              "\",\"type\":\"function\",\"function\":{\"name\":");
    AppendJsonString(call.name, out);
    *out += ",\"arguments\":";
    AppendJsonString(call.arguments, out);
    *out += "}}";
  }
  *out += choice.calls.empty() ? "}" : "]}";
}

std::string ChatShape::Body(const Answer& answer) {
  std::string body = Head(answer, "chat.completion");
  body += ",\"choices\":[";
  for (size_t i = 0; i < answer.choices.size(); ++i) {
    const ChoiceAnswer& choice = answer.choices[i];
    StrAppend(&body, i == 0 ? "" : ",", "{\"index\":", i, ",\"message\":");
    Message(choice, &body);
    body += ",\"logprobs\":";
    if (logprobs_) {
      body += "{\"content\":";
      AppendLogprobs(choice.logprobs, &body);
      body += ",\"refusal\":null}";
    } else {
      body += "null";
    }
    StrAppend(&body, ",\"finish_reason\":\"", FinishName(choice.finish), "\"}");
  }
  body += "],\"usage\":";
  AppendUsage(answer.usage, &body);
  body += ",\"infer\":";
  AppendServerFacts(answer.usage, &body);
  body += '}';
  return body;
}

}  // namespace

std::unique_ptr<AnswerShape> NewChatShape(const GenerationRequest& request) {
  return std::make_unique<ChatShape>(request);
}

std::unique_ptr<AnswerShape> NewShape(const GenerationRequest& request) {
  switch (request.api) {
    case ApiKind::kCompletions:
      return NewCompletionShape(request);
    case ApiKind::kResponses:
      return NewResponsesShape(request);
    case ApiKind::kMessages:
      return NewMessagesShape(request);
    case ApiKind::kChat:
      break;
  }
  return NewChatShape(request);
}

}  // namespace infer::serve
