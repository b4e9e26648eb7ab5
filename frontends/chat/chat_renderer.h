// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/chat/chat_template.h"
#include "frontends/family/chat.h"

namespace infer {

struct ChatFormat;
class Vocabulary;

// Makes prompts of conversations for one model: with the template of its file or, if it has none
// that can be used, in the format of its family. Immutable.
class ChatRenderer {
 public:
  // `template_text` is tokenizer.chat_template, empty if the file has none. `family` must outlive
  // the object. A template that cannot be used gives a warning and not an error: the model still
  // answers.
  ChatRenderer(std::string_view template_text, const ChatFormat& family,
               const Vocabulary& vocabulary);

  // Encode the result with Tokenizer::EncodeMarked.
  absl::StatusOr<MarkedText> Render(std::span<const ChatMessage> messages,
                                    const ChatOptions& options) const;

  // Renders a JSON request (see ChatTemplate::Render). Fails if there is no template.
  absl::StatusOr<MarkedText> RenderJson(std::string_view request_json,
                                        const RenderOptions& options = {}) const;

  // Returns whether thinking can be switched on and off; asked before thinking is left to the
  // model.
  bool knows_thinking() const;
  bool knows_tools() const;
  // Returns whether the model is shown Qwen3-Coder's form of calls and not JSON.
  bool calls_are_xml() const { return calls_are_xml_; }
  bool has_template() const { return template_.has_value(); }
  const std::string& warning() const { return warning_; }  // empty if there is nothing to say

 private:
  RenderOptions WithTokens(const RenderOptions& options) const;

  const ChatFormat* family_;
  std::optional<ChatTemplate> template_;
  bool calls_are_xml_ = false;
  std::string warning_;
  std::string bos_json_;
  std::string eos_json_;
};

}  // namespace infer
