// SPDX-License-Identifier: Apache-2.0
//
// Responses: an answer is a list of items (a thought, a message, calls). A stream announces each
// item, its text in pieces, and the finished item; the last event repeats the whole response.
#include <nlohmann/json.hpp>
#include <utility>

#include "ir/base/strings.h"
#include "tools/serve/api/answer_json.h"
#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
namespace {

using Json = nlohmann::ordered_json;

Json ParsedOr(const std::string& text, Json otherwise) {
  return text.empty() ? std::move(otherwise) : Json::parse(text);
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json LogprobsOf(const std::vector<LogprobEntry>& entries) {
  std::string text;
  AppendLogprobs(entries, &text);
  return Json::parse(text);
}

class ResponsesShape final : public AnswerShape {
 public:
  explicit ResponsesShape(const GenerationRequest& request) : request_(Reduced(request)) {}

  std::string Body(const Answer& answer) override {
    const ChoiceAnswer& choice = answer.choices[0];
    Json output = Json::array();
    if (!choice.thought.empty()) output.push_back(Thought(answer, choice.thought));
    if (!choice.content.empty()) {
      output.push_back(Message(answer, choice.content, choice.logprobs));
    }
    for (size_t i = 0; i < choice.calls.size(); ++i) {
      output.push_back(Call(answer, i, choice.calls[i].arguments, "completed"));
    }
    Json body = Finished(answer, std::move(output));
    std::string facts;
    AppendServerFacts(answer.usage, &facts);
    body["infer"] = Json::parse(facts);
    return JsonText(body);
  }

  void Begin(const Answer& answer, std::string* out) override {
    const Json response = Response(answer, "in_progress", Json::array());
    Event("response.created", {{"response", response}}, out);
    Event("response.in_progress", {{"response", response}}, out);
  }
  void Add(const Answer& answer, size_t, const AnswerPiece& piece, std::string* out) override {
    const bool is_new = piece.part == AnswerPart::kToolName ||
                        (piece.part != AnswerPart::kToolArguments && part_ != piece.part);
    if (is_new || !is_open_) {
      Close(answer, out);
      Open(answer, piece.part, out);
    }
    if (piece.part == AnswerPart::kToolName) return;
    text_ += piece.text;
    logprobs_.insert(logprobs_.end(), piece.logprobs.begin(), piece.logprobs.end());
    Json members = Place();
    if (piece.part == AnswerPart::kToolArguments) {
      members["delta"] = piece.text;
      return Event("response.function_call_arguments.delta", members, out);
    }
    members["content_index"] = 0;
    members["delta"] = piece.text;
    if (piece.part == AnswerPart::kThought) {
      return Event("response.reasoning_text.delta", members, out);
    }
    members["logprobs"] = LogprobsOf(piece.logprobs);
    Event("response.output_text.delta", members, out);
  }
  void EndChoice(const Answer& answer, size_t, std::string* out) override { Close(answer, out); }
  void End(const Answer& answer, std::string* out) override {
    const bool is_cut = answer.choices[0].finish == Finish::kLength;
    Event(is_cut ? "response.incomplete" : "response.completed",
          {{"response", Finished(answer, std::move(items_))}}, out);
  }
  void Fail(const ApiError& error, std::string* out) override {
    Event("error",
          {{"code", error.code.empty() ? Json("server_error") : Json(error.code)},
           {"message", error.message},
           {"param", error.param.empty() ? Json(nullptr) : Json(error.param)}},
          out);
  }

 private:
  // The conversation is not repeated, and may be large.
  static GenerationRequest Reduced(const GenerationRequest& request) {
    GenerationRequest reduced;
    reduced.max_tokens = request.max_tokens;
    reduced.temperature = request.temperature;
    reduced.top_p = request.top_p;
    reduced.parallel_tool_calls = request.parallel_tool_calls;
    reduced.top_logprobs = request.top_logprobs;
    reduced.echoed = request.echoed;
    return reduced;
  }

  void Event(std::string_view type, const Json& members, std::string* out) {
    Json data = {{"type", type}, {"sequence_number", sequence_number_++}};
    data.update(members);
    StrAppend(out, "event: ", type, "\ndata: ", JsonText(data), "\n\n");
  }
  Json Place() const { return {{"item_id", item_id_}, {"output_index", items_.size()}}; }

  static Json Thought(const Answer& answer, const std::string& text) {
    return {{"type", "reasoning"},
            {"id", StrCat("rs_", answer.id)},
            {"status", "completed"},
            {"summary", Json::array()},
            {"content", Json::array({{{"type", "reasoning_text"}, {"text", text}}})}};
  }
  Json Part(const std::string& text, const std::vector<LogprobEntry>& logprobs) const {
    return {{"type", "output_text"},
            {"text", text},
            {"annotations", Json::array()},
            {"logprobs", LogprobsOf(logprobs)}};
  }
  Json Message(const Answer& answer, const std::string& text,
               const std::vector<LogprobEntry>& logprobs) const {
    const bool is_cut = answer.choices[0].finish == Finish::kLength;
    return {{"type", "message"},
            {"id", StrCat("msg_", answer.id)},
            {"status", is_cut ? "incomplete" : "completed"},
            {"role", "assistant"},
            {"content", Json::array({Part(text, logprobs)})}};
  }
  static Json Call(const Answer& answer, size_t index, const std::string& arguments,
                   std::string_view status) {
    const ToolCall& call = answer.choices[0].calls[index];
    return {{"type", "function_call"}, {"id", StrCat("fc_", answer.id, "_", index)},
            {"call_id", call.id},      {"name", call.name},
            {"arguments", arguments},  {"status", status}};
  }

  void Open(const Answer& answer, AnswerPart part, std::string* out);
  void Close(const Answer& answer, std::string* out);
  Json Response(const Answer& answer, std::string_view status, Json output) const;
  Json Finished(const Answer& answer, Json output) const;

  const GenerationRequest request_;
  int64_t sequence_number_ = 0;
  Json items_ = Json::array();  // finished ones
  // The item that is open.
  bool is_open_ = false;
  AnswerPart part_ = AnswerPart::kContent;
  std::string item_id_;
  std::string text_;
  std::vector<LogprobEntry> logprobs_;
};

void ResponsesShape::Open(const Answer& answer, AnswerPart part, std::string* out) {
  is_open_ = true;
  part_ = part == AnswerPart::kToolName ? AnswerPart::kToolArguments : part;
  text_.clear();
  logprobs_.clear();
  Json item;
  if (part_ == AnswerPart::kThought) {
    item = Thought(answer, "");
    item["content"] = Json::array();
  } else if (part_ == AnswerPart::kContent) {
    item = Message(answer, "", {});
    item["content"] = Json::array();
  } else {
    item = Call(answer, answer.choices[0].calls.size() - 1, "", "in_progress");
  }
  item["status"] = "in_progress";
  item_id_ = item["id"];
  Event("response.output_item.added", {{"output_index", items_.size()}, {"item", item}}, out);
  if (part_ != AnswerPart::kContent) return;
  Json members = Place();
  members["content_index"] = 0;
  members["part"] = Part("", {});
  Event("response.content_part.added", members, out);
}

void ResponsesShape::Close(const Answer& answer, std::string* out) {
  if (!is_open_) return;
  is_open_ = false;
  Json members = Place();
  Json item;
  if (part_ == AnswerPart::kToolArguments) {
    item = Call(answer, answer.choices[0].calls.size() - 1, text_, "completed");
    members["name"] = item["name"];
    members["arguments"] = text_;
    Event("response.function_call_arguments.done", members, out);
  } else {
    members["content_index"] = 0;
    members["text"] = text_;
    if (part_ == AnswerPart::kThought) {
      item = Thought(answer, text_);
      Event("response.reasoning_text.done", members, out);
    } else {
      item = Message(answer, text_, logprobs_);
      members["logprobs"] = item["content"][0]["logprobs"];
      Event("response.output_text.done", members, out);
      members.erase("text");
      members.erase("logprobs");
      members["part"] = item["content"][0];
      Event("response.content_part.done", members, out);
    }
  }
  Event("response.output_item.done", {{"output_index", items_.size()}, {"item", item}}, out);
  items_.push_back(std::move(item));
}

Json ResponsesShape::Response(const Answer& answer, std::string_view status, Json output) const {
  const EchoedParts& echoed = request_.echoed;
  return {
      {"id", StrCat("resp_", answer.id)},
      {"object", "response"},
      {"created_at", answer.created},
      {"status", status},
      {"background", false},
      {"error", nullptr},
      {"incomplete_details", nullptr},
      {"instructions", ParsedOr(echoed.instructions, nullptr)},
      {"max_output_tokens", OrNull(request_.max_tokens)},
      {"model", answer.model},
      {"output", std::move(output)},
      {"parallel_tool_calls", request_.parallel_tool_calls},
      {"previous_response_id", nullptr},
      {"reasoning", ParsedOr(echoed.reasoning, Json{{"effort", nullptr}, {"summary", nullptr}})},
      {"store", false},
      {"temperature", OrNull(request_.temperature)},
      {"text", ParsedOr(echoed.text, Json{{"format", {{"type", "text"}}}})},
      {"tool_choice", ParsedOr(echoed.tool_choice, "auto")},
      {"tools", ParsedOr(echoed.tools, Json::array())},
      {"top_logprobs", request_.top_logprobs.value_or(0)},
      {"top_p", OrNull(request_.top_p)},
      {"truncation", "disabled"},
      {"user", nullptr},
      {"metadata", ParsedOr(echoed.metadata, Json::object())}};
}

Json ResponsesShape::Finished(const Answer& answer, Json output) const {
  const bool is_cut = answer.choices[0].finish == Finish::kLength;
  Json response = Response(answer, is_cut ? "incomplete" : "completed", std::move(output));
  if (is_cut) response["incomplete_details"] = {{"reason", "max_output_tokens"}};
  const AnswerUsage& usage = answer.usage;
  response["usage"] = {
      {"input_tokens", usage.prompt_tokens},
      {"input_tokens_details", {{"cached_tokens", usage.cached_tokens}, {"cache_write_tokens", 0}}},
      {"output_tokens", usage.completion_tokens},
      {"output_tokens_details", {{"reasoning_tokens", usage.reasoning_tokens}}},
      {"total_tokens", usage.prompt_tokens + usage.completion_tokens}};
  return response;
}

}  // namespace

std::unique_ptr<AnswerShape> NewResponsesShape(const GenerationRequest& request) {
  return std::make_unique<ResponsesShape>(request);
}

}  // namespace infer::serve
