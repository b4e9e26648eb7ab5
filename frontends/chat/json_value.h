// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"

namespace infer::chat {

// Reads JSON text. Its strings count as from the request if `from_request`. Of a key given twice
// the last value counts, as in Python. `what` names the text in an error; nesting deeper than 128
// is refused.
absl::StatusOr<Value> ParseJson(std::string_view json, bool from_request, std::string_view what,
                                Heap& heap);

}  // namespace infer::chat
