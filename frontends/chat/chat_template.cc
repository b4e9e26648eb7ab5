// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/chat_template.h"

#include <algorithm>

#include "absl/status/status.h"
#include "frontends/chat/conversation.h"
#include "frontends/chat/heap.h"
#include "frontends/chat/interpreter.h"
#include "frontends/chat/json_value.h"
#include "frontends/chat/parser.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using chat::Dict;
using chat::Heap;
using chat::Value;

constexpr size_t kOutputPerRequestByte = 4;
constexpr size_t kValuesPerRequestByte = 8;

// One rendering: its memory, and its variables.
class Rendering {
 public:
  Rendering(const RenderOptions& options, size_t request_bytes)
      : options_(options),
        output_bytes_(options.limits.output_bytes + kOutputPerRequestByte * request_bytes),
        budget_(options.limits.steps,
                options.limits.value_bytes + output_bytes_ + kValuesPerRequestByte * request_bytes),
        heap_(&budget_) {}

  Heap& heap() { return heap_; }

  absl::StatusOr<MarkedText> Run(const chat::TemplateTree& tree, Dict* context) {
    for (const std::string& name : options_.trusted_names) Trust(name, context);
    for (const auto& [name, json] : options_.overrides) {
      RETURN_IF_ERROR(SetTrusted(name, json, context));
    }
    for (const auto& [name, json] : options_.variables) {
      if (chat::FindKey(*context, name) == nullptr) {
        RETURN_IF_ERROR(SetTrusted(name, json, context));
      }
    }
    SetDefault(context, "tools", chat::None());
    SetDefault(context, "documents", chat::None());
    SetDefault(context, "add_generation_prompt", false);
    chat::Environment environment = {&heap_, options_.clock};
    return chat::Interpreter(tree, &environment, options_.limits, output_bytes_).Run(*context);
  }

 private:
  absl::Status SetTrusted(std::string_view name, std::string_view json, Dict* context) {
    ASSIGN_OR_RETURN(Value value, ParseJson(json, false, name, heap_));
    heap_.Set(context, heap_.NewString(name), std::move(value));
    return absl::OkStatus();
  }
  void Trust(std::string_view name, Dict* context) {
    const Value* value = chat::FindKey(*context, name);
    const MarkedText* text = value == nullptr ? nullptr : chat::AsText(*value);
    if (text != nullptr) heap_.Set(context, heap_.NewString(name), heap_.NewString(text->text()));
  }
  void SetDefault(Dict* context, std::string_view name, Value value) {
    if (chat::FindKey(*context, name) != nullptr) return;
    heap_.Set(context, heap_.NewString(name), std::move(value));
  }

  const RenderOptions& options_;
  size_t output_bytes_;
  chat::Budget budget_;
  Heap heap_;
};

}  // namespace

ChatTemplate::ChatTemplate(std::unique_ptr<const chat::TemplateTree> tree)
    : tree_(std::move(tree)) {}
ChatTemplate::ChatTemplate(ChatTemplate&&) noexcept = default;
ChatTemplate& ChatTemplate::operator=(ChatTemplate&&) noexcept = default;
ChatTemplate::~ChatTemplate() = default;

absl::StatusOr<ChatTemplate> ChatTemplate::Compile(std::string_view text) {
  ASSIGN_OR_RETURN(std::unique_ptr<const chat::TemplateTree> tree, chat::ParseTemplate(text));
  return ChatTemplate(std::move(tree));
}

absl::StatusOr<MarkedText> ChatTemplate::Render(std::string_view request_json,
                                                const RenderOptions& options) const {
  Rendering rendering(options, request_json.size());
  ASSIGN_OR_RETURN(chat::Value request,
                   ParseJson(request_json, true, "the request", rendering.heap()));
  Dict* context = chat::AsDict(request);
  if (chat::AsList(request) != nullptr) {
    context = rendering.heap().NewDict();
    rendering.heap().Set(context, rendering.heap().NewString("messages"), request);
  }
  if (context == nullptr) {
    return absl::InvalidArgumentError(
        "the request is neither a JSON object with messages nor an array of messages");
  }
  RETURN_IF_ERROR(chat::CheckMessages(*context));
  return rendering.Run(*tree_, context);
}

absl::StatusOr<MarkedText> ChatTemplate::Render(std::span<const ChatMessage> messages,
                                                const ChatOptions& chat,
                                                const RenderOptions& options) const {
  Rendering rendering(options, chat::BytesOf(messages, chat));
  ASSIGN_OR_RETURN(Dict * context, chat::MakeRequest(messages, chat, rendering.heap()));
  return rendering.Run(*tree_, context);
}

bool ChatTemplate::Reads(std::string_view variable) const {
  return std::ranges::count(tree_->names, variable) > 0;
}

}  // namespace infer
