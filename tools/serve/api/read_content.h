// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/base/json.h"

namespace infer::serve {

// Returns the text of a message's content: a string, or an array of parts of the given types, whose
// `text` is joined. Parts of other types, such as images, are errors. Null is no text.
absl::StatusOr<std::string> ReadContent(const Json& content, std::string_view path,
                                        std::span<const std::string_view> text_types);

// Returns the member of an object; null if it has none.
const Json& MemberOf(const Json& object, const char* name);

// Returns a member that must be a text; empty if it is missing or null and not `required`.
absl::StatusOr<std::string> TextMember(const Json& object, const char* name, std::string_view path,
                                       bool required);

// Returns the arguments of a tool call as templates take them: what is not JSON stays text.
struct CallArguments {
  std::string text;
  bool is_json = true;
};
CallArguments ReadArguments(std::string text);

}  // namespace infer::serve
