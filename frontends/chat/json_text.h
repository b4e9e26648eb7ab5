// SPDX-License-Identifier: Apache-2.0
//
// Writes JSON as Python's json.dumps does, which is what templates mean by `tojson`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

struct JsonStyle {
  bool ensure_ascii = false;
  std::optional<MarkedText> indent;  // one level of it; on one line if not set
  MarkedText item_separator{", "};
  MarkedText key_separator{": "};
  bool sort_keys = false;
};

absl::Status AppendJson(const Value& value, const JsonStyle& style, TextBuilder* out);

// Returns JSON text of a request as json.dumps writes it, with its strings marked. `what` names it
// in an error.
absl::StatusOr<MarkedText> ReformatJson(std::string_view json, std::string_view what);

// Returns the text in quotes with the escapes of JSON.
std::string JsonQuoted(std::string_view text);

}  // namespace infer::chat
