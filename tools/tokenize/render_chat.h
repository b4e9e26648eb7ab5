// SPDX-License-Identifier: Apache-2.0
//
// What infer-tokenize --chat renders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/tokenizer/tokenizer.h"

namespace infer {

// Renders a conversation. `arguments` are variables of the template as "name=value"; a value that
// is JSON is taken as such, any other is a string. bos_token and eos_token are the vocabulary's
// unless the request or an argument has them.
absl::StatusOr<MarkedText> RenderChatRequest(std::string_view template_text,
                                             std::string_view request_json,
                                             const std::vector<std::string>& arguments,
                                             const Vocabulary& vocabulary);

// Returns an error that names the argument if it is not "name=value".
absl::Status CheckTemplateArgument(std::string_view argument);

}  // namespace infer
