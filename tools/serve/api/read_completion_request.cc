// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/read_request.h"
#include "tools/serve/api/request_json.h"
#include "tools/serve/api/sampling_parameters.h"

namespace infer::serve {
namespace {

using Request = GenerationRequest;

constexpr int64_t kDefaultTokens = 16;  // of the specification

absl::StatusOr<TextPrompt> ReadIds(const Json& ids, std::string_view path) {
  TextPrompt prompt;
  prompt.is_ids = true;
  if (ids.empty() || ids.size() > kMaxIds) {
    return WrongValue(path, StrCat("expected 1 to ", kMaxIds, " token ids, got ", ids.size()));
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    // Ids that the vocabulary lacks are refused where the vocabulary is known.
    if (!ids[i].is_number_unsigned() || ids[i].get<uint64_t>() > INT32_MAX) {
      return WrongValue(StrCat(path, "[", i, "]"),
                        StrCat("expected a token id, got ", ShownJson(ids[i])));
    }
    prompt.ids.push_back(ids[i].get<int32_t>());
  }
  return prompt;
}

absl::StatusOr<TextPrompt> ReadOne(const Json& value, std::string_view path) {
  if (value.is_string()) return TextPrompt{.text = value.get<std::string>()};
  if (value.is_array()) return ReadIds(value, path);
  return WrongValue(path, StrCat("expected a string or token ids, got ", KindOfJson(value)));
}

absl::Status ReadPrompts(const Json& value, std::string_view path, Request* request) {
  const bool is_list = value.is_array() && !value.empty() && !value[0].is_number();
  if (!is_list) {
    ASSIGN_OR_RETURN(TextPrompt prompt, ReadOne(value, path));
    request->prompts.push_back(std::move(prompt));
    return absl::OkStatus();
  }
  if (value.size() > kMaxPrompts) {
    return WrongValue(path,
                      StrCat("expected at most ", kMaxPrompts, " prompts, got ", value.size()));
  }
  for (size_t i = 0; i < value.size(); ++i) {
    ASSIGN_OR_RETURN(TextPrompt prompt, ReadOne(value[i], StrCat(path, "[", i, "]")));
    request->prompts.push_back(std::move(prompt));
  }
  return absl::OkStatus();
}

// The number of alternatives, where chats have a flag and a number. 0 asks for the probabilities of
// the tokens alone.
absl::Status ReadLogprobs(const Json& value, std::string_view path, Request* request) {
  if (value == false) return absl::OkStatus();
  if (!value.is_number_unsigned() || value.get<uint64_t>() > uint64_t{kMaxTopLogprobs}) {
    return WrongValue(path, StrCat("expected an integer from 0 to ", kMaxTopLogprobs, ", got ",
                                   ShownJson(value)));
  }
  request->logprobs = true;
  request->top_logprobs = value.get<int64_t>();
  return absl::OkStatus();
}

absl::Status ReadCompletionFormat(const Json& value, std::string_view path, Request* request) {
  return ReadOutputFormat(value, path, "json_schema", request);
}

constexpr Parameter kCompletionRows[] = {
    {"prompt", &ReadPrompts},
    {"max_tokens", &Request::max_tokens, 1, kMaxTokens},
    {"n", &Request::n, 1, kMaxChoices},
    {"best_of", &Request::best_of, 1, kMaxChoices},
    {"logprobs", &ReadLogprobs},
    {"response_format", &ReadCompletionFormat},
    {"echo", Refused{"the prompt is not repeated in the answer", "false"}},
    {"suffix", Refused{"this model does not insert text before a suffix", "\"\""}},
};

}  // namespace

absl::StatusOr<Request> ReadCompletionRequest(const Json& body) {
  Request request;
  request.api = ApiKind::kCompletions;
  RETURN_IF_ERROR(ReadParameters(body, "", {kCompletionRows, SamplingParameters()}, &request));
  if (request.prompts.empty()) {
    return WrongValue("prompt", "expected a string, token ids or a list of them, got nothing");
  }
  if (!request.max_tokens) request.max_tokens = kDefaultTokens;
  RETURN_IF_ERROR(CheckRequest(request));
  return request;
}

}  // namespace infer::serve
