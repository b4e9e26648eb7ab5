// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace infer {

// Formats JSON text in the spacing and spelling of Python's json.dumps(ensure_ascii=False), which
// is what chat templates mean by `tojson`: ", " and ": " as separators, non-ASCII characters
// unescaped, 1e5 as 100000.0. Keys keep their order. `what` names the text in an error; nesting
// deeper than 128 is refused.
absl::StatusOr<std::string> FormatChatJson(std::string_view json, std::string_view what);

}  // namespace infer
