// SPDX-License-Identifier: Apache-2.0
#include "frontends/family/plain_chat.h"

#include "absl/status/status.h"

namespace infer {

absl::StatusOr<MarkedText> RenderPlainChat(const PlainChatMarkup& markup,
                                           std::span<const ChatMessage> messages,
                                           const ChatOptions& options) {
  if (messages.empty()) return absl::InvalidArgumentError("the conversation has no messages");
  if (!options.tools.empty()) {
    return absl::InvalidArgumentError(
        "tools need a chat template, which says how they are written, and the file has none: give "
        "a template or leave the tools out");
  }
  MarkedText prompt;
  prompt.AppendTrusted(markup.start);
  for (const ChatMessage& message : messages) {
    prompt.AppendTrusted(markup.before_role);
    prompt.Append(message.role, /*from_request=*/true);
    prompt.AppendTrusted(markup.after_role);
    prompt.Append(message.content, /*from_request=*/true);
    prompt.AppendTrusted(markup.after_text);
  }
  if (options.add_generation_prompt) {
    prompt.AppendTrusted(markup.before_role);
    prompt.AppendTrusted("assistant");
    prompt.AppendTrusted(markup.after_role);
  }
  return prompt;
}

}  // namespace infer
