// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/read_content.h"

#include <algorithm>
#include <utility>

#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/serve/api/api_error.h"
#include "tools/serve/api/limits.h"
#include "tools/serve/api/request_json.h"

namespace infer::serve {
const Json& MemberOf(const Json& object, const char* name) {
  static const Json kNull;
  if (!object.is_object()) return kNull;
  const auto member = object.find(name);
  return member == object.end() ? kNull : *member;
}

absl::StatusOr<std::string> TextMember(const Json& object, const char* name, std::string_view path,
                                       bool required) {
  const Json& value = MemberOf(object, name);
  if (value.is_string()) return value.get<std::string>();
  if (value.is_null() && !required) return std::string();
  return WrongValue(
      StrCat(path, ".", name),
      StrCat("expected a string, got ", value.is_null() ? "nothing" : KindOfJson(value)));
}

absl::StatusOr<std::string> ReadContent(const Json& content, std::string_view path,
                                        std::span<const std::string_view> text_types) {
  if (content.is_null()) return std::string();
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) {
    return WrongValue(path,
                      StrCat("expected a string or an array of parts, got ", KindOfJson(content)));
  }
  if (content.size() > kMaxContentParts) {
    return WrongValue(path, StrCat("expected at most ", kMaxContentParts, " parts"));
  }
  std::string text;
  for (size_t i = 0; i < content.size(); ++i) {
    const std::string where = StrCat(path, "[", i, "]");
    if (!content[i].is_object()) {
      return WrongValue(where, StrCat("expected an object, got ", KindOfJson(content[i])));
    }
    ASSIGN_OR_RETURN(const std::string type, TextMember(content[i], "type", where, true));
    if (std::ranges::find(text_types, type) == text_types.end()) {
      return WrongValue(StrCat(where, ".type"),
                        StrCat("expected \"", text_types[0],
                               "\": this model reads text only, not parts of other types"));
    }
    const bool is_refusal = type == "refusal";
    ASSIGN_OR_RETURN(std::string piece,
                     TextMember(content[i], is_refusal ? "refusal" : "text", where, true));
    text += piece;
  }
  return text;
}

CallArguments ReadArguments(std::string text) {
  if (text.empty()) return {"{}", true};
  const absl::StatusOr<Json> parsed = ParseBody(text);
  return {std::move(text), parsed.ok()};
}

}  // namespace infer::serve
