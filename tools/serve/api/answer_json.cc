// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/answer_json.h"

#include "absl/strings/str_format.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/strings.h"
#include "tools/serve/api/json_text.h"

namespace infer::serve {
namespace {

void AppendToken(const LogprobToken& token, std::string* out) {
  *out += "\"token\":";
  AppendTokenText(token, out);
  *out += ",\"logprob\":";
  AppendJsonNumber(token.logprob, out);
  *out += ",\"bytes\":[";
  for (size_t i = 0; i < token.bytes.size(); ++i) {
    StrAppend(out, i == 0 ? "" : ",", static_cast<int>(static_cast<unsigned char>(token.bytes[i])));
  }
  *out += ']';
}

}  // namespace

std::string_view FinishName(Finish finish) {
  switch (finish) {
    case Finish::kLength:
      return "length";
    case Finish::kToolCalls:
      return "tool_calls";
    case Finish::kStop:
      break;
  }
  return "stop";
}

void AppendTokenText(const LogprobToken& token, std::string* out) {
  std::string storage;
  AppendJsonString(ReplaceInvalidUtf8(token.bytes, &storage), out);
}

void AppendUsage(const AnswerUsage& usage, std::string* out) {
  StrAppend(out, "{\"prompt_tokens\":", usage.prompt_tokens,
            ",\"completion_tokens\":", usage.completion_tokens,
            ",\"total_tokens\":", usage.prompt_tokens + usage.completion_tokens,
            ",\"prompt_tokens_details\":{\"cached_tokens\":", usage.cached_tokens,
            "},\"completion_tokens_details\":{\"reasoning_tokens\":", usage.reasoning_tokens, "}}");
}

void AppendServerFacts(const AnswerUsage& usage, std::string* out) {
  StrAppend(out, "{\"cached_tokens\":", usage.cached_tokens, ",\"cache_end\":");
  AppendJsonString(usage.cache_end, out);
  StrAppend(out, absl::StrFormat(",\"queue_ms\":%.3f,\"prefill_ms\":%.3f,\"decode_ms\":%.3f}",
                                 usage.queue_ms, usage.prefill_ms, usage.decode_ms));
}

void AppendLogprobs(std::span<const LogprobEntry> entries, std::string* out) {
  *out += '[';
  for (size_t i = 0; i < entries.size(); ++i) {
    *out += i == 0 ? "{" : ",{";
    AppendToken(entries[i].token, out);
    *out += ",\"top_logprobs\":[";
    for (size_t j = 0; j < entries[i].top.size(); ++j) {
      *out += j == 0 ? "{" : ",{";
      AppendToken(entries[i].top[j], out);
      *out += '}';
    }
    *out += "]}";
  }
  *out += ']';
}

}  // namespace infer::serve
