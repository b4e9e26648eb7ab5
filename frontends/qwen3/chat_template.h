// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/family/chat.h"
#include "frontends/tokenizer/marked_text.h"

namespace infer {

// Renders the prompt that Qwen3's chat template makes of the messages, byte for byte as Hugging
// Face renders it. The thinking of turns before the last question is omitted. Fails if there is no
// message, a role is unknown, or the JSON of a tool cannot be parsed.
// The text of messages and tools is marked: see Tokenizer::EncodeMarked.
absl::StatusOr<MarkedText> RenderQwen3Chat(std::span<const ChatMessage> messages,
                                           const ChatOptions& options);

// Returns whether this is the text of a template that RenderQwen3Chat reproduces, by its hash.
// Tools warn if a file's template (tokenizer.chat_template) is another one.
bool IsKnownQwen3ChatTemplate(std::string_view template_text);

}  // namespace infer
