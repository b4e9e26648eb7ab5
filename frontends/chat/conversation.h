// SPDX-License-Identifier: Apache-2.0
//
// Conversations as the variables of a template.
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/value.h"
#include "frontends/family/chat.h"

namespace infer::chat {

// Returns a dict of messages, tools, add_generation_prompt and enable_thinking.
absl::StatusOr<Dict*> MakeRequest(std::span<const ChatMessage> messages, const ChatOptions& options,
                                  Heap& heap);

// Returns the size of what MakeRequest copies.
size_t BytesOf(std::span<const ChatMessage> messages, const ChatOptions& options);

// Checks what every template takes for granted. An error has the path in the JSON of the request:
// messages[2].role.
absl::Status CheckMessages(const Dict& request);

}  // namespace infer::chat
