// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/responses_json.h"

#include <optional>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/serve/api/answer_json.h"

namespace infer::serve {
namespace {

Json ParsedOr(const std::string& text, Json otherwise) {
  return text.empty() ? std::move(otherwise) : ParseJsonOrThrow(text);
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

GenerationRequest EchoedRequest(const GenerationRequest& request) {
  GenerationRequest echoed;
  echoed.max_tokens = request.max_tokens;
  echoed.temperature = request.temperature;
  echoed.top_p = request.top_p;
  echoed.parallel_tool_calls = request.parallel_tool_calls;
  echoed.top_logprobs = request.top_logprobs;
  echoed.echoed = request.echoed;
  return echoed;
}

Json LogprobsItem(const std::vector<LogprobEntry>& entries) {
  std::string text;
  AppendLogprobs(entries, &text);
  return ParseJsonOrThrow(text);
}

Json ThoughtPart(const std::string& text) { return {{"type", "reasoning_text"}, {"text", text}}; }

Json TextPart(const std::string& text, const std::vector<LogprobEntry>& logprobs) {
  return {{"type", "output_text"},
          {"text", text},
          {"annotations", Json::array()},
          {"logprobs", LogprobsItem(logprobs)}};
}

Json ThoughtItem(const Answer& answer, const std::string& text) {
  return {{"type", "reasoning"},
          {"id", StrCat("rs_", answer.id)},
          {"status", "completed"},
          {"summary", Json::array()},
          {"content", Json::array({ThoughtPart(text)})}};
}

Json MessageItem(const Answer& answer, const std::string& text,
                 const std::vector<LogprobEntry>& logprobs) {
  const bool is_cut = answer.choices[0].finish == Finish::kLength;
  return {{"type", "message"},
          {"id", StrCat("msg_", answer.id)},
          {"status", is_cut ? "incomplete" : "completed"},
          {"role", "assistant"},
          {"content", Json::array({TextPart(text, logprobs)})}};
}

Json CallItem(const Answer& answer, size_t index, const std::string& arguments,
              std::string_view status) {
  const ToolCall& call = answer.choices[0].calls[index];
  return {{"type", "function_call"}, {"id", StrCat("fc_", answer.id, "_", index)},
          {"call_id", call.id},      {"name", call.name},
          {"arguments", arguments},  {"status", status}};
}

Json ResponseObject(const GenerationRequest& request, const Answer& answer, std::string_view status,
                    Json output) {
  const EchoedParts& echoed = request.echoed;
  return {
      {"id", StrCat("resp_", answer.id)},
      {"object", "response"},
      {"created_at", answer.created},
      {"status", status},
      {"background", false},
      {"error", nullptr},
      {"incomplete_details", nullptr},
      {"instructions", ParsedOr(echoed.instructions, nullptr)},
      {"max_output_tokens", OrNull(request.max_tokens)},
      {"model", answer.model},
      {"output", std::move(output)},
      {"parallel_tool_calls", request.parallel_tool_calls},
      {"previous_response_id", nullptr},
      {"reasoning", ParsedOr(echoed.reasoning, Json{{"effort", nullptr}, {"summary", nullptr}})},
      {"store", false},
      {"temperature", OrNull(request.temperature)},
      {"text", ParsedOr(echoed.text, Json{{"format", {{"type", "text"}}}})},
      {"tool_choice", ParsedOr(echoed.tool_choice, "auto")},
      {"tools", ParsedOr(echoed.tools, Json::array())},
      {"top_logprobs", request.top_logprobs.value_or(0)},
      {"top_p", OrNull(request.top_p)},
      {"truncation", "disabled"},
      {"user", nullptr},
      {"metadata", ParsedOr(echoed.metadata, Json::object())}};
}

Json FinishedResponse(const GenerationRequest& request, const Answer& answer, Json output) {
  const bool is_cut = answer.choices[0].finish == Finish::kLength;
  Json response =
      ResponseObject(request, answer, is_cut ? "incomplete" : "completed", std::move(output));
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

}  // namespace infer::serve
