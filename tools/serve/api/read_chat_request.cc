// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/read_content.h"
#include "tools/serve/api/read_messages.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/read_tools.h"
#include "tools/serve/api/request_json.h"
#include "tools/serve/api/sampling_parameters.h"
#include "tools/serve/api/thinking_parameters.h"

namespace infer::serve {
namespace {

using Request = GenerationRequest;

absl::Status ReadChatFormat(const Json& value, std::string_view path, Request* request) {
  return ReadOutputFormat(value, path, "json_schema", request);
}

absl::Status ReadChatTools(const Json& value, std::string_view path, Request* request) {
  return ReadTools(value, path, kChatTools, request);
}

constexpr Parameter kChatRows[] = {
    {"messages", &ReadMessages},
    {"max_tokens", &Request::max_tokens, 1, kMaxTokens},
    {"max_completion_tokens", &Request::max_tokens, 1, kMaxTokens},
    {"n", &Request::n, 1, kMaxChoices},
    {"logprobs", &Request::logprobs},
    {"top_logprobs", &Request::top_logprobs, 0, kMaxTopLogprobs},
    {"response_format", &ReadChatFormat},
    {"tools", &ReadChatTools},
    {"tool_choice", &ReadToolChoice},
    {"parallel_tool_calls", &Request::parallel_tool_calls},
    {"audio", Refused{"this model makes no audio"}},
    {"functions", Refused{"use tools instead of functions", "[]"}},
    {"function_call", Refused{"use tool_choice instead of function_call", "\"none\""}},
    {"modalities", Refused{"this model makes text only", "[\"text\"]"}},
    {"prediction", Accepted()},
    {"web_search_options", Refused{"this server searches nothing"}},
};

}  // namespace

absl::Status ReadOutputFormat(const Json& value, std::string_view path, const char* schema_holder,
                              Request* request) {
  if (!value.is_object()) {
    return WrongValue(path, StrCat("expected an object, got ", KindOfJson(value)));
  }
  const Json& type = MemberOf(value, "type");
  if (type == "text") return absl::OkStatus();
  request->schema_path = path;
  if (type == "json_object") {
    request->json_schema = R"({"type": "object"})";
    return absl::OkStatus();
  }
  if (type != "json_schema") {
    return WrongValue(StrCat(path, ".type"),
                      StrCat("expected text, json_object or json_schema, got ", ShownJson(type)));
  }
  const Json& holder = schema_holder == nullptr ? value : MemberOf(value, schema_holder);
  request->schema_path = StrCat(path, ".", schema_holder == nullptr ? "schema" : schema_holder,
                                schema_holder == nullptr ? "" : ".schema");
  const Json& schema = MemberOf(holder, "schema");
  if (!schema.is_object() && !schema.is_boolean()) {
    return WrongValue(
        request->schema_path,
        StrCat("expected a JSON schema, got ", schema.is_null() ? "nothing" : KindOfJson(schema)));
  }
  request->json_schema = JsonText(schema);
  if (request->json_schema.size() <= kMaxSchemaBytes) return absl::OkStatus();
  return WrongValue(request->schema_path, StrCat("expected at most ", kMaxSchemaBytes, " bytes"));
}

absl::Status CheckRequest(const Request& request) {
  if (request.top_logprobs && !request.logprobs) {
    return WrongValue("top_logprobs", "needs \"logprobs\": true");
  }
  if (request.best_of && *request.best_of != request.n.value_or(1)) {
    return WrongValue("best_of", StrCat("expected the value of n, ", request.n.value_or(1),
                                        ": all choices are returned"));
  }
  return CheckToolChoice(request);
}

absl::StatusOr<Request> ReadChatRequest(const Json& body) {
  Request request;
  request.api = ApiKind::kChat;
  RETURN_IF_ERROR(
      ReadParameters(body, "", {kChatRows, SamplingParameters(), ThinkingParameters()}, &request));
  if (request.messages.empty()) {
    return WrongValue("messages", "expected an array of at least one message, got nothing");
  }
  RETURN_IF_ERROR(CheckRequest(request));
  return request;
}

}  // namespace infer::serve
