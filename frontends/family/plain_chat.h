// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/family/chat.h"
#include "frontends/tokenizer/marked_text.h"

namespace infer {

// The markup around a message: before its role, between role and text, after the text.
struct PlainChatMarkup {
  std::string_view start;  // of the conversation
  std::string_view before_role;
  std::string_view after_role;
  std::string_view after_text;
};

// Renders messages one after the other, each in its markup, for families without further rules.
// Fails if there is no message or there are tools, whose form only a template says. The text of
// messages is marked.
absl::StatusOr<MarkedText> RenderPlainChat(const PlainChatMarkup& markup,
                                           std::span<const ChatMessage> messages,
                                           const ChatOptions& options);

}  // namespace infer
