// SPDX-License-Identifier: Apache-2.0
#include "tools/bench/serve/stream_reader.h"

#include "ir/base/json.h"

namespace infer::load {
namespace {

// Returns the member, or null if `json` is no object or lacks it.
const Json& Member(const Json& json, const char* name) {
  static const Json kNull;
  if (!json.is_object()) return kNull;
  const auto it = json.find(name);
  return it == json.end() ? kNull : *it;
}

int64_t CountOf(const Json& json) { return json.is_number_integer() ? json.get<int64_t>() : -1; }

bool HasText(const Json& json) {
  return json.is_string() && !json.get_ref<const std::string&>().empty();
}

void ReadUsage(const Json& usage, Usage* out) {
  if (!usage.is_object()) return;
  out->prompt_tokens = CountOf(Member(usage, "prompt_tokens"));
  out->output_tokens = CountOf(Member(usage, "completion_tokens"));
  out->cached_tokens = CountOf(Member(Member(usage, "prompt_tokens_details"), "cached_tokens"));
}

bool ChoiceHasText(const Json& choice) {
  const Json& delta = Member(choice, "delta");
  const Json& calls = Member(delta, "tool_calls");
  return HasText(Member(choice, "text")) || HasText(Member(delta, "content")) ||
         HasText(Member(delta, "reasoning_content")) || HasText(Member(delta, "reasoning")) ||
         (calls.is_array() && !calls.empty());
}

}  // namespace

int64_t StreamReader::Feed(std::string_view piece) {
  int64_t with_text = 0;
  for (const std::string& data : events_.Feed(piece)) with_text += ReadEvent(data);
  if (events_.is_too_large()) is_bad_ = true;
  return with_text;
}

bool StreamReader::ReadEvent(const std::string& data) {
  if (data == "[DONE]") {
    is_done_ = true;
    return false;
  }
  const Json event = ParseJson(data);
  if (!event.is_object()) {
    is_bad_ = true;
    return false;
  }
  if (event.contains("error") && !event["error"].is_null()) has_error_ = true;
  ReadUsage(Member(event, "usage"), &usage_);
  bool has_text = false;
  const Json& choices = Member(event, "choices");
  if (!choices.is_array()) return false;
  for (const Json& choice : choices) {
    has_text = has_text || ChoiceHasText(choice);
    has_end_ = has_end_ || HasText(Member(choice, "finish_reason"));
  }
  return has_text;
}

Usage UsageOf(const std::string& body) {
  Usage usage;
  ReadUsage(Member(ParseJson(body), "usage"), &usage);
  return usage;
}

}  // namespace infer::load
