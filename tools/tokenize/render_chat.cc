// SPDX-License-Identifier: Apache-2.0
#include "tools/tokenize/render_chat.h"

#include "absl/status/status.h"
#include "frontends/chat/chat_template.h"
#include "frontends/chat/json_text.h"
#include "ir/base/json.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

void AddToken(std::string_view name, int32_t id, const Vocabulary& vocabulary,
              RenderOptions* options) {
  options->variables.emplace_back(name, chat::JsonQuoted(vocabulary.text(id)));
}

}  // namespace

absl::Status CheckTemplateArgument(std::string_view argument) {
  const size_t equals = argument.find('=');
  if (equals != 0 && equals != std::string_view::npos) return absl::OkStatus();
  return absl::InvalidArgumentError(
      StrCat("'", argument, "' is not NAME=VALUE, such as enable_thinking=false"));
}

absl::StatusOr<MarkedText> RenderChatRequest(std::string_view template_text,
                                             std::string_view request_json,
                                             const std::vector<std::string>& arguments,
                                             const Vocabulary& vocabulary) {
  ASSIGN_OR_RETURN(ChatTemplate compiled, ChatTemplate::Compile(template_text));
  RenderOptions options;
  options.trusted_names = {"bos_token", "eos_token", "pad_token", "unk_token"};
  for (const std::string& argument : arguments) {
    RETURN_IF_ERROR(CheckTemplateArgument(argument));
    const size_t equals = argument.find('=');
    const std::string value = argument.substr(equals + 1);
    options.overrides.emplace_back(argument.substr(0, equals),
                                   Json::accept(value) ? value : chat::JsonQuoted(value));
  }
  if (vocabulary.bos()) AddToken("bos_token", *vocabulary.bos(), vocabulary, &options);
  AddToken("eos_token", vocabulary.eos(), vocabulary, &options);
  return compiled.Render(request_json, options);
}

}  // namespace infer
