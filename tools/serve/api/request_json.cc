// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/request_json.h"

#include <algorithm>
#include <string>

#include "ir/base/json.h"
#include "ir/base/strings.h"
#include "tools/serve/api/limits.h"

namespace infer::serve {
namespace {

constexpr size_t kShownBytes = 40;

// Returns how deep arrays and objects are nested. Text that is not JSON gives some number; the
// parser reports what is wrong with it.
size_t NestingOf(std::string_view text) {
  size_t depth = 0;
  size_t deepest = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

}  // namespace

absl::StatusOr<Json> ParseBody(std::string_view body) {
  if (body.empty()) {
    return absl::InvalidArgumentError("the request has no body; send a JSON object");
  }
  if (NestingOf(body) > kMaxJsonDepth) {
    return absl::InvalidArgumentError(
        StrCat("the body is nested deeper than ", kMaxJsonDepth, " levels"));
  }
  try {
    Json json = ParseJsonOrThrow(body);
    if (json.is_object()) return json;
    return absl::InvalidArgumentError(
        StrCat("the body is ", KindOfJson(json), "; expected an object"));
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        StrCat("the body is not valid JSON: ", JsonErrorText(error.what())));
  }
}

std::string_view KindOfJson(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return "null";
    case Json::value_t::boolean:
      return "a boolean";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::array:
      return "an array";
    case Json::value_t::object:
      return "an object";
    default:
      return "a number";
  }
}

std::string ShownJson(const Json& value) {
  if (value.is_structured()) return std::string(KindOfJson(value));
  std::string text = JsonText(value);
  if (text.size() > kShownBytes) return std::string(KindOfJson(value));
  return text;
}

}  // namespace infer::serve
