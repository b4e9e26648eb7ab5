// SPDX-License-Identifier: Apache-2.0
//
// Responses: a stream announces each item, its text in pieces, and the finished item; the last
// event repeats the whole response.
#include <utility>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/serve/api/answer_json.h"
#include "tools/serve/api/answer_shape.h"
#include "tools/serve/api/request_json.h"
#include "tools/serve/api/responses_json.h"

namespace infer::serve {
namespace {

class ResponsesShape final : public AnswerShape {
 public:
  explicit ResponsesShape(const GenerationRequest& request) : request_(EchoedRequest(request)) {}

  std::string Body(const Answer& answer) override {
    const ChoiceAnswer& choice = answer.choices[0];
    Json output = Json::array();
    if (!choice.thought.empty()) output.push_back(ThoughtItem(answer, choice.thought));
    if (!choice.content.empty()) {
      output.push_back(MessageItem(answer, choice.content, choice.logprobs));
    }
    for (size_t i = 0; i < choice.calls.size(); ++i) {
      output.push_back(CallItem(answer, i, choice.calls[i].arguments, "completed"));
    }
    Json body = FinishedResponse(request_, answer, std::move(output));
    std::string facts;
    AppendServerFacts(answer.usage, &facts);
    body["infer"] = ParseJsonOrThrow(facts);
    return JsonText(body);
  }

  void Begin(const Answer& answer, std::string* out) override {
    const Json response = ResponseObject(request_, answer, "in_progress", Json::array());
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
    members["logprobs"] = LogprobsItem(piece.logprobs);
    Event("response.output_text.delta", members, out);
  }
  void EndChoice(const Answer& answer, size_t, std::string* out) override { Close(answer, out); }
  void End(const Answer& answer, std::string* out) override {
    const bool is_cut = answer.choices[0].finish == Finish::kLength;
    Event(is_cut ? "response.incomplete" : "response.completed",
          {{"response", FinishedResponse(request_, answer, std::move(items_))}}, out);
  }
  void Fail(const ApiError& error, std::string* out) override {
    Event("error",
          {{"code", error.code.empty() ? Json("server_error") : Json(error.code)},
           {"message", error.message},
           {"param", error.param.empty() ? Json(nullptr) : Json(error.param)}},
          out);
  }

 private:
  void Event(std::string_view type, const Json& members, std::string* out) {
    Json data = {{"type", type}, {"sequence_number", sequence_number_++}};
    data.update(members);
    StrAppend(out, "event: ", type, "\ndata: ", JsonText(data), "\n\n");
  }
  Json Place() const { return {{"item_id", item_id_}, {"output_index", items_.size()}}; }

  void Open(const Answer& answer, AnswerPart part, std::string* out);
  void Close(const Answer& answer, std::string* out);

  const GenerationRequest request_;  // what is repeated of it
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
    item = ThoughtItem(answer, "");
    item["content"] = Json::array();
  } else if (part_ == AnswerPart::kContent) {
    item = MessageItem(answer, "", {});
    item["content"] = Json::array();
  } else {
    item = CallItem(answer, answer.choices[0].calls.size() - 1, "", "in_progress");
  }
  item["status"] = "in_progress";
  item_id_ = item["id"];
  Event("response.output_item.added", {{"output_index", items_.size()}, {"item", item}}, out);
  if (part_ == AnswerPart::kToolArguments) return;
  Json members = Place();
  members["content_index"] = 0;
  members["part"] = part_ == AnswerPart::kThought ? ThoughtPart("") : TextPart("", {});
  Event("response.content_part.added", members, out);
}

void ResponsesShape::Close(const Answer& answer, std::string* out) {
  if (!is_open_) return;
  is_open_ = false;
  Json members = Place();
  Json item;
  if (part_ == AnswerPart::kToolArguments) {
    item = CallItem(answer, answer.choices[0].calls.size() - 1, text_, "completed");
    members["name"] = item["name"];
    members["arguments"] = text_;
    Event("response.function_call_arguments.done", members, out);
  } else {
    members["content_index"] = 0;
    members["text"] = text_;
    if (part_ == AnswerPart::kThought) {
      item = ThoughtItem(answer, text_);
      Event("response.reasoning_text.done", members, out);
    } else {
      item = MessageItem(answer, text_, logprobs_);
      members["logprobs"] = item["content"][0]["logprobs"];
      Event("response.output_text.done", members, out);
      members.erase("logprobs");
    }
    members.erase("text");
    members["part"] = item["content"][0];
    Event("response.content_part.done", members, out);
  }
  Event("response.output_item.done", {{"output_index", items_.size()}, {"item", item}}, out);
  items_.push_back(std::move(item));
}

}  // namespace

std::unique_ptr<AnswerShape> NewResponsesShape(const GenerationRequest& request) {
  return std::make_unique<ResponsesShape>(request);
}

}  // namespace infer::serve
