// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/request_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ir/base/json_error.h"
#include "ir/base/strings.h"
#include "tools/serve/api/limits.h"

namespace infer::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kShownBytes = 40;

// How deep arrays and objects are nested, and how many members the largest object has.
struct BodyShape {
  size_t depth = 0;
  size_t members = 0;
};

// Text that is not JSON gives some shape; the parser reports what is wrong with it.
BodyShape ShapeOf(std::string_view text) {
  BodyShape shape;
  std::vector<size_t> members;  // of each container that is open
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      members.push_back(0);
      shape.depth = std::max(shape.depth, members.size());
    } else if ((c == ']' || c == '}') && !members.empty()) {
      members.pop_back();
    } else if (c == ':' && !members.empty()) {
      shape.members = std::max(shape.members, ++members.back());
    }
  }
  return shape;
}

}  // namespace

absl::StatusOr<Json> ParseBody(std::string_view body) {
  if (body.empty()) {
    return absl::InvalidArgumentError("the request has no body; send a JSON object");
  }
  const BodyShape shape = ShapeOf(body);
  if (shape.depth > kMaxJsonDepth) {
    return absl::InvalidArgumentError(
        StrCat("the body is nested deeper than ", kMaxJsonDepth, " levels"));
  }
  if (shape.members > kMaxJsonMembers) {
    return absl::InvalidArgumentError(StrCat("an object of the body has ", shape.members,
                                             " members; at most ", kMaxJsonMembers,
                                             " are allowed"));
  }
  try {
    Json json = Json::parse(body);
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

std::string JsonText(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace infer::serve
