// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/chat_renderer.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "frontends/chat/json_text.h"
#include "frontends/family/model_family.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

// Templates leave out messages of roles that they do not know, without a word.
absl::Status CheckRoles(std::span<const ChatMessage> messages) {
  constexpr std::string_view kRoles[] = {"system", "user", "assistant", "tool"};
  for (size_t i = 0; i < messages.size(); ++i) {
    if (std::ranges::find(kRoles, messages[i].role) != std::end(kRoles)) continue;
    return absl::InvalidArgumentError(StrCat("messages[", i, "].role is \"", messages[i].role,
                                             "\"; expected system, user, assistant or tool"));
  }
  return absl::OkStatus();
}

}  // namespace

ChatRenderer::ChatRenderer(std::string_view template_text, const ChatFormat& family,
                           const Vocabulary& vocabulary)
    : family_(&family), eos_json_(chat::JsonQuoted(vocabulary.text(vocabulary.eos()))) {
  if (vocabulary.bos()) bos_json_ = chat::JsonQuoted(vocabulary.text(*vocabulary.bos()));
  if (template_text.empty()) {
    warning_ = StrCat("the file has no chat template; using ", family.name, "'s");
    return;
  }
  absl::StatusOr<ChatTemplate> compiled = ChatTemplate::Compile(template_text);
  if (compiled.ok()) {
    template_ = *std::move(compiled);
    calls_are_xml_ = template_text.find("<function=") != std::string_view::npos;
  } else {
    warning_ = StrCat("the file's chat template cannot be used; using ", family.name,
                      "'s: ", ToStd(compiled.status().message()));
  }
}

RenderOptions ChatRenderer::WithTokens(const RenderOptions& options) const {
  RenderOptions all = options;
  if (!bos_json_.empty()) all.variables.emplace_back("bos_token", bos_json_);
  all.variables.emplace_back("eos_token", eos_json_);
  return all;
}

absl::StatusOr<MarkedText> ChatRenderer::Render(std::span<const ChatMessage> messages,
                                                const ChatOptions& options) const {
  RETURN_IF_ERROR(CheckRoles(messages));
  if (template_) return template_->Render(messages, options, WithTokens({}));
  return family_->render(messages, options);
}

absl::StatusOr<MarkedText> ChatRenderer::RenderJson(std::string_view request_json,
                                                    const RenderOptions& options) const {
  if (template_) return template_->Render(request_json, WithTokens(options));
  return absl::FailedPreconditionError("the model has no usable chat template; give one as a file");
}

bool ChatRenderer::knows_thinking() const {
  return template_ ? template_->Reads("enable_thinking") : !family_->thought_start.empty();
}

bool ChatRenderer::knows_tools() const { return !template_ || template_->Reads("tools"); }

}  // namespace infer
