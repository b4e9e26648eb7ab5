// SPDX-License-Identifier: Apache-2.0
//
// A conversation as a JSON file: {"schema_version": 1, "messages": [{"role": "user", "content":
// "Hello"}, ...]}, the form that templates and chat completions use. An assistant's message may
// have "reasoning_content" and "tool_calls".
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/family/chat.h"

namespace infer {

// Writes the file whole or not at all.
absl::Status SaveConversation(const std::vector<ChatMessage>& messages, const std::string& path);

// Returns kInvalidArgument or kNotFound with the file, and the message and key that is wrong. Keys
// that are not known are ignored, so that files of other programs can be read. `stop` is that of
// ReadInput.
absl::StatusOr<std::vector<ChatMessage>> LoadConversation(const std::string& path,
                                                          const std::atomic<bool>* stop = nullptr);

}  // namespace infer
