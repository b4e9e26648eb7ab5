// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/chat/arguments.h"
#include "frontends/chat/budget.h"
#include "frontends/family/chat.h"
#include "frontends/tokenizer/marked_text.h"

namespace infer {

namespace chat {
struct TemplateTree;
}

struct RenderOptions {
  TemplateLimits limits;
  TemplateClock clock;  // of strftime_now
  // Variables of the template's owner as name and JSON text, such as {"bos_token", "\"<s>\""}. The
  // request's own variables of the same name win.
  std::vector<std::pair<std::string, std::string>> variables;
  // The same, but these win over the request's.
  std::vector<std::pair<std::string, std::string>> overrides;
  // Names of variables of the request whose text is trusted: "bos_token".
  std::vector<std::string> trusted_names;
};

// A chat template in the language of Jinja, as model files carry it in tokenizer.chat_template,
// rendered as Hugging Face renders it. Immutable: any number of threads may use one object.
class ChatTemplate {
 public:
  // An error names the line and column, and the construct if it is not supported.
  static absl::StatusOr<ChatTemplate> Compile(std::string_view text);

  ChatTemplate(ChatTemplate&&) noexcept;
  ChatTemplate& operator=(ChatTemplate&&) noexcept;
  ~ChatTemplate();

  // Renders a request: a JSON object with `messages`, `tools` and whatever else the template
  // reads, or an array of messages. Without them, `tools` and `documents` are none and
  // `add_generation_prompt` is false.
  absl::StatusOr<MarkedText> Render(std::string_view request_json,
                                    const RenderOptions& options = {}) const;

  // Renders a conversation. Fails if a role is unknown to the template, or the JSON of a tool
  // cannot be parsed.
  absl::StatusOr<MarkedText> Render(std::span<const ChatMessage> messages, const ChatOptions& chat,
                                    const RenderOptions& options = {}) const;

  // Returns whether the template reads the variable: enable_thinking, tools.
  bool Reads(std::string_view variable) const;

 private:
  explicit ChatTemplate(std::unique_ptr<const chat::TemplateTree> tree);

  std::unique_ptr<const chat::TemplateTree> tree_;
};

}  // namespace infer
