// SPDX-License-Identifier: Apache-2.0
#include "frontends/chat/conversation.h"

#include "frontends/chat/json_value.h"
#include "frontends/tokenizer/utf8.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer::chat {
namespace {

class RequestBuilder {
 public:
  explicit RequestBuilder(Heap* heap) : heap_(*heap) {}

  void Set(Dict* dict, std::string_view name, Value value) {
    heap_.Set(dict, heap_.NewString(name), std::move(value));
  }
  Value Text(std::string_view text) {
    std::string storage;
    return heap_.NewString(
        MarkedText::FromRequest(std::string(ReplaceInvalidUtf8(text, &storage))));
  }

  absl::StatusOr<Value> Call(const ChatToolCall& call, std::string_view what) {
    Dict* function = heap_.NewDict();
    Set(function, "name", Text(call.name));
    if (call.arguments_are_text) {
      Set(function, "arguments", Text(call.arguments));
    } else {
      ASSIGN_OR_RETURN(Value arguments, ParseJson(call.arguments, true, what, heap_));
      Set(function, "arguments", std::move(arguments));
    }
    Dict* made = heap_.NewDict();
    Set(made, "type", heap_.NewString("function"));
    Set(made, "function", function);
    return made;
  }

  absl::StatusOr<Value> Message(size_t index, const ChatMessage& message) {
    Dict* made = heap_.NewDict();
    Set(made, "role", Text(message.role));
    Set(made, "content", Text(message.content));
    if (message.reasoning_content) Set(made, "reasoning_content", Text(*message.reasoning_content));
    if (message.tool_calls.empty()) return made;
    List* calls = heap_.NewList();
    for (size_t i = 0; i < message.tool_calls.size(); ++i) {
      ASSIGN_OR_RETURN(
          Value call, Call(message.tool_calls[i],
                           StrCat("messages[", index, "].tool_calls[", i, "].function.arguments")));
      heap_.Push(calls, std::move(call));
    }
    Set(made, "tool_calls", calls);
    return made;
  }

  absl::StatusOr<Value> Tools(const ChatOptions& options) {
    if (options.tools.empty()) return None();
    List* tools = heap_.NewList();
    for (size_t i = 0; i < options.tools.size(); ++i) {
      ASSIGN_OR_RETURN(Value tool,
                       ParseJson(options.tools[i], true, StrCat("tools[", i, "]"), heap_));
      heap_.Push(tools, std::move(tool));
    }
    return tools;
  }

 private:
  Heap& heap_;
};

absl::Status Wrong(std::string_view path, const Value& value, std::string_view expected) {
  return absl::InvalidArgumentError(StrCat("the request has a value of type ", TypeName(value),
                                           " at ", path, ", expected ", expected));
}

}  // namespace

absl::StatusOr<Dict*> MakeRequest(std::span<const ChatMessage> messages, const ChatOptions& options,
                                  Heap& heap) {
  if (messages.empty()) {
    return absl::InvalidArgumentError("the chat has no message, expected at least one");
  }
  RequestBuilder builder(&heap);
  List* list = heap.NewList();
  for (size_t i = 0; i < messages.size(); ++i) {
    ASSIGN_OR_RETURN(Value message, builder.Message(i, messages[i]));
    heap.Push(list, std::move(message));
  }
  ASSIGN_OR_RETURN(Value tools, builder.Tools(options));
  Dict* request = heap.NewDict();
  builder.Set(request, "messages", list);
  builder.Set(request, "tools", std::move(tools));
  builder.Set(request, "add_generation_prompt", options.add_generation_prompt);
  builder.Set(request, "enable_thinking", options.enable_thinking);
  return request;
}

size_t BytesOf(std::span<const ChatMessage> messages, const ChatOptions& options) {
  size_t bytes = 0;
  for (const ChatMessage& message : messages) {
    bytes += message.content.size() + message.reasoning_content.value_or("").size() + 64;
    for (const ChatToolCall& call : message.tool_calls) {
      bytes += call.name.size() + call.arguments.size() + 64;
    }
  }
  for (const std::string& tool : options.tools) bytes += tool.size();
  return bytes;
}

absl::Status CheckMessages(const Dict& request) {
  const Value* messages = FindKey(request, "messages");
  if (messages == nullptr) {
    return absl::InvalidArgumentError("the request has no messages; add a list of messages");
  }
  const List* list = AsList(*messages);
  if (list == nullptr) return Wrong("messages", *messages, "a list");
  for (size_t i = 0; i < list->items.size(); ++i) {
    const std::string path = StrCat("messages[", i, "]");
    const Dict* message = AsDict(list->items[i]);
    if (message == nullptr) return Wrong(path, list->items[i], "an object");
    const Value* role = FindKey(*message, "role");
    if (role == nullptr) {
      return absl::InvalidArgumentError(
          StrCat("the request has no role at ", path, "; add system, user, assistant or tool"));
    }
    if (AsText(*role) == nullptr) return Wrong(path + ".role", *role, "a string");
  }
  return absl::OkStatus();
}

}  // namespace infer::chat
