// SPDX-License-Identifier: Apache-2.0
// A conversation with an installed infer: chat MODEL QUESTION. The model may think and call a tool;
// the tool's result goes back to it. Then it must answer with JSON that a schema allows.
#include <infer/infer.h>

#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr char kWeather[] = R"({
  "type": "function",
  "function": {
    "name": "get_weather",
    "description": "The weather of a city",
    "parameters": {
      "type": "object",
      "properties": {"city": {"type": "string"}},
      "required": ["city"],
      "additionalProperties": false
    }
  }
})";

constexpr char kVerdict[] = R"({
  "type": "object",
  "properties": {"happy": {"type": "boolean"}, "stars": {"type": "integer", "minimum": 1, "maximum": 5}},
  "required": ["happy", "stars"],
  "additionalProperties": false
})";

int Fail(const infer::Error& error) {
  std::cerr << "error: " << error.message << "\n";
  return error.code;
}

void Print(const infer::Message& message) {
  if (message.reasoning) std::cout << "thought: " << *message.reasoning << "\n";
  for (const infer::ToolCall& call : message.tool_calls) {
    std::cout << "call: " << call.name << " " << call.arguments << "\n";
  }
  if (!message.content.empty()) std::cout << "answer: " << message.content << "\n";
}

int Run(const std::string& path, const std::string& question) {
  infer::Result<infer::Model> model = infer::Model::Load(path);
  if (!model.ok()) return Fail(model.error());
  infer::Result<infer::Program> program = infer::Compile(model.value());
  if (!program.ok()) return Fail(program.error());
  infer::Result<infer::Session> session = infer::Session::Create(model.value(), program.value());
  if (!session.ok()) return Fail(session.error());

  std::vector<infer::Message> messages = {{"user", question}};
  infer::GenerateOptions options;
  options.temperature = 0;
  options.think = infer::Think::kAuto;
  options.think_budget = 200;
  options.tools = {kWeather};
  infer::Result<infer::Generation> made = session.value().Chat(messages, options);
  if (!made.ok()) return Fail(made.error());
  Print(made.value().message);
  messages.push_back(made.value().message);

  if (!made.value().message.tool_calls.empty()) {
    for (size_t i = 0; i < made.value().message.tool_calls.size(); ++i) {
      messages.push_back({"tool", R"({"weather": "sunny", "celsius": 21})"});
    }
    // The messages so far are in the cache: only the results are run.
    made = session.value().Chat(messages, options);
    if (!made.ok()) return Fail(made.error());
    Print(made.value().message);
    messages.push_back(made.value().message);
  }

  messages.push_back({"user", "Are you happy with this weather?"});
  options.tools.clear();
  options.think = infer::Think::kOff;
  options.json_schema = kVerdict;
  made = session.value().Chat(messages, options);
  if (!made.ok()) return Fail(made.error());
  Print(made.value().message);
  return std::cout ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: chat MODEL QUESTION\n";
    return 2;
  }
  return Run(argv[1], argv[2]);
}
