// SPDX-License-Identifier: Apache-2.0
#include "tools/python/convert.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace infer::python {
namespace {

namespace py = pybind11;

py::module_ Types() { return py::module_::import("infer._types"); }

std::string OptionalText(const py::dict& from, const char* key) {
  if (!from.contains(key) || from[key].is_none()) return "";
  return py::cast<std::string>(from[key]);
}

ToolCall CallOf(const py::handle& value) {
  py::dict call = py::cast<py::dict>(value);
  if (call.contains("function")) call = py::cast<py::dict>(call["function"]);  // OpenAI's form
  return {py::cast<std::string>(call["name"]),
          call.contains("arguments") ? JsonText(call["arguments"]) : "{}"};
}

Message MessageOf(const py::handle& value) {
  const py::dict from = py::dict(py::reinterpret_borrow<py::object>(value));
  if (!from.contains("role")) throw py::value_error("a message has no 'role'");
  Message message{py::cast<std::string>(from["role"]), OptionalText(from, "content")};
  for (const char* key : {"reasoning", "reasoning_content"}) {
    if (from.contains(key) && !from[key].is_none()) message.reasoning = OptionalText(from, key);
  }
  if (from.contains("tool_calls") && !from["tool_calls"].is_none()) {
    for (py::handle call : from["tool_calls"]) message.tool_calls.push_back(CallOf(call));
  }
  return message;
}

py::dict DictOf(const Message& message) {
  py::dict dict;
  dict["role"] = TextOf(message.role);
  dict["content"] = TextOf(message.content);
  if (message.reasoning) dict["reasoning"] = TextOf(*message.reasoning);
  py::list calls;
  for (const ToolCall& call : message.tool_calls) {
    py::dict made;
    made["name"] = TextOf(call.name);
    made["arguments"] = TextOf(call.arguments);
    calls.append(made);
  }
  if (!message.tool_calls.empty()) dict["tool_calls"] = calls;
  return dict;
}

const char* ReasonText(StopReason reason) {
  switch (reason) {
    case StopReason::kMaxTokens:
      return "max_tokens";
    case StopReason::kEndToken:
      return "end_token";
    case StopReason::kStopString:
      return "stop_string";
    case StopReason::kContextFull:
      return "context_full";
    case StopReason::kCancelled:
    case StopReason::kCallback:
      break;
  }
  return "cancelled";
}

py::object LogitsOf(const TextStream& stream) {
  const int64_t columns = stream.logits_of_token();
  if (columns == 0) return py::none();
  const auto rows = static_cast<py::ssize_t>(stream.logits().size()) / columns;
  py::array_t<float> array({rows, static_cast<py::ssize_t>(columns)});
  std::copy(stream.logits().begin(), stream.logits().end(), array.mutable_data());
  return array;
}

py::list ChoicesOf(const TextStream& stream) {
  py::list choices;
  const py::module_ types = Types();
  for (const TokenStep& step : stream.steps()) {
    py::list top;
    for (const TokenLogprob& other : step.top) {
      top.append(types.attr("TokenLogprob")(other.id, other.logprob));
    }
    choices.append(types.attr("TokenChoice")(step.id, step.logprob, top));
  }
  return choices;
}

void SetToolChoice(const std::string& choice, GenerateOptions* options) {
  if (choice == "auto") return;
  if (choice == "none") {
    options->tool_use = ToolUse::kNone;
    return;
  }
  options->tool_use = ToolUse::kRequired;
  if (choice != "required") options->tool_name = choice;
}

using Setter = std::function<void(const py::object&, GenerateOptions*)>;

template <class T>
Setter Set(T GenerateOptions::* member) {
  return [member](const py::object& value, GenerateOptions* options) {
    options->*member = py::cast<T>(value);
  };
}

Setter SetJson(std::string GenerateOptions::* member) {
  return [member](const py::object& value, GenerateOptions* options) {
    options->*member = JsonText(value);
  };
}

const std::map<std::string, Setter>& TextSetters() {
  static const auto* setters = new std::map<std::string, Setter>{
      {"max_tokens", Set(&GenerateOptions::max_tokens)},
      {"temperature", Set(&GenerateOptions::temperature)},
      {"top_k", Set(&GenerateOptions::top_k)},
      {"top_p", Set(&GenerateOptions::top_p)},
      {"min_p", Set(&GenerateOptions::min_p)},
      {"repeat_penalty", Set(&GenerateOptions::repeat_penalty)},
      {"presence_penalty", Set(&GenerateOptions::presence_penalty)},
      {"frequency_penalty", Set(&GenerateOptions::frequency_penalty)},
      {"repeat_last_n", Set(&GenerateOptions::repeat_last_n)},
      {"logit_bias",
       [](const py::object& value, GenerateOptions* options) {
         for (const auto& [id, bias] : py::cast<std::map<int32_t, float>>(value)) {
           options->logit_bias.push_back({id, bias});
         }
       }},
      {"seed", Set(&GenerateOptions::seed)},
      {"stop", Set(&GenerateOptions::stop)},
      {"ignore_end", Set(&GenerateOptions::ignore_end)},
      {"drafts",
       [](const py::object& value, GenerateOptions* options) {
         options->drafts = py::cast<bool>(value) ? Drafts::kNgram : Drafts::kOff;
       }},
      {"json_schema", SetJson(&GenerateOptions::json_schema)},
      {"grammar", Set(&GenerateOptions::grammar)},
      {"json", Set(&GenerateOptions::json)},
      {"top_logprobs", Set(&GenerateOptions::top_logprobs)},
  };
  return *setters;
}

const std::map<std::string, Setter>& ChatSetters() {
  static const auto* setters = new std::map<std::string, Setter>{
      {"think",
       [](const py::object& value, GenerateOptions* options) { options->think = ThinkOf(value); }},
      {"think_budget", Set(&GenerateOptions::think_budget)},
      {"tools",
       [](const py::object& value, GenerateOptions* options) {
         for (py::handle tool : value) {
           options->tools.push_back(JsonText(py::reinterpret_borrow<py::object>(tool)));
         }
       }},
      {"tool_choice",
       [](const py::object& value, GenerateOptions* options) {
         SetToolChoice(py::cast<std::string>(value), options);
       }},
      {"parallel_tool_calls", Set(&GenerateOptions::parallel_tool_calls)},
      {"bind_tool_arguments", Set(&GenerateOptions::bind_tool_arguments)},
  };
  return *setters;
}

const Setter* FindSetter(const std::string& name, bool chat) {
  if (auto found = TextSetters().find(name); found != TextSetters().end()) return &found->second;
  if (!chat) return nullptr;
  auto found = ChatSetters().find(name);
  return found == ChatSetters().end() ? nullptr : &found->second;
}

}  // namespace

void Raise(const Error& error) {
  const py::object type = Types().attr("Error");
  const py::object raised = type(TextOf(error.message), error.code);
  PyErr_SetObject(type.ptr(), raised.ptr());
  throw py::error_already_set();
}

std::string PathText(const py::object& path) {
  return py::cast<std::string>(py::module_::import("os").attr("fsdecode")(path));
}

std::string JsonText(const py::object& value) {
  if (py::isinstance<py::str>(value)) return py::cast<std::string>(value);
  return py::cast<std::string>(py::module_::import("json").attr("dumps")(value));
}

std::vector<int32_t> Tokens(const py::object& ids) {
  if (py::isinstance<py::array>(ids)) return py::cast<std::vector<int32_t>>(ids.attr("tolist")());
  return py::cast<std::vector<int32_t>>(ids);
}

std::vector<Message> Messages(const py::object& messages) {
  std::vector<Message> turns;
  for (py::handle message : messages) turns.push_back(MessageOf(message));
  return turns;
}

Think ThinkOf(const py::object& think) {
  if (think.is_none()) return Think::kAuto;
  return py::cast<bool>(think) ? Think::kOn : Think::kOff;
}

bool FillOptions(const py::kwargs& arguments, bool chat, GenerateOptions* options) {
  bool keep_logits = false;
  for (const auto& [key, value] : arguments) {
    const auto name = py::cast<std::string>(key);
    if (name == "logits") {
      keep_logits = py::cast<bool>(value);
      continue;
    }
    const Setter* setter = FindSetter(name, chat);
    if (setter == nullptr) {
      throw py::type_error((chat ? "chat" : "generate") +
                           ("() got an unexpected keyword argument '" + name + "'"));
    }
    try {
      (*setter)(py::reinterpret_borrow<py::object>(value), options);
    } catch (const py::cast_error&) {
      throw py::type_error(name + ": " + py::cast<std::string>(py::repr(value)) +
                           " has the wrong type");
    }
  }
  return keep_logits;
}

py::object GenerationOf(const TextStream& stream) {
  if (!stream.result().ok()) Raise(stream.result().error());
  const Generation& made = stream.result().value();
  py::dict fields;
  fields["text"] = TextOf(made.text);
  fields["message"] = DictOf(made.message);
  fields["ids"] = made.ids;
  fields["reason"] = ReasonText(made.reason);
  fields["prompt_tokens"] = made.prompt_tokens;
  fields["cached_tokens"] = made.cached_tokens;
  fields["first_token_ms"] = made.first_token_ms;
  fields["prefill_ms"] = made.prefill_ms;
  fields["decode_ms"] = made.decode_ms;
  fields["drafted_tokens"] = made.drafted_tokens;
  fields["accepted_tokens"] = made.accepted_tokens;
  fields["seed"] = made.seed;
  fields["warnings"] = made.warnings;
  fields["logits"] = LogitsOf(stream);
  fields["choices"] = ChoicesOf(stream);
  return Types().attr("Generation")(**fields);
}

py::list PlacementOf(const Program& program) {
  const py::object type = Types().attr("PlacedNode");
  py::list table;
  for (const PlacedNode& node : program.Placement()) {
    table.append(type(node.min_tokens, node.max_tokens, node.name, node.layer, node.op, node.target,
                      node.kernel, node.decided_by, node.because, node.weight_types,
                      node.estimate_ns_min, node.estimate_ns_max));
  }
  return table;
}

py::str TextOf(const std::string& bytes) {
  PyObject* text =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (text == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(text);
}

py::array_t<float> Rows(const std::vector<std::vector<float>>& rows) {
  const auto columns = static_cast<py::ssize_t>(rows.empty() ? 0 : rows[0].size());
  py::array_t<float> array({static_cast<py::ssize_t>(rows.size()), columns});
  float* to = array.mutable_data();
  for (const std::vector<float>& row : rows) to = std::copy(row.begin(), row.end(), to);
  return array;
}

}  // namespace infer::python
