// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_commands.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_format.h"
#include "ir/base/nearest.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/prompt/terminal_text.h"
#include "tools/run/chat_session.h"
#include "tools/run/chat_settings.h"
#include "tools/run/conversation_file.h"
#include "tools/run/tools_file.h"

namespace infer {
namespace {

struct Command {
  std::string_view name;
  std::string_view arguments;
  std::string_view help;
  absl::Status (*run)(std::string_view arguments, ChatSession* session);
};
extern const Command kCommands[10];

std::string_view Trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

// Splits off the first word.
std::pair<std::string_view, std::string_view> Split(std::string_view text) {
  const size_t end = std::min(text.find_first_of(" \t"), text.size());
  return {text.substr(0, end), Trimmed(text.substr(end))};
}

void Tell(ChatSession* session, const std::string& text) {
  session->context().console().Report(text);
}

absl::StatusOr<std::string> FileOf(std::string_view command, std::string_view arguments) {
  if (arguments.empty()) {
    return absl::InvalidArgumentError(StrCat("/", command, " needs the name of a file"));
  }
  const char* home = std::getenv("HOME");
  if (home != nullptr && arguments.starts_with("~/")) return StrCat(home, arguments.substr(1));
  return std::string(arguments);
}

absl::Status Help(std::string_view, ChatSession* session) {
  std::string text;
  for (const Command& command : kCommands) {
    StrAppend(&text, absl::StrFormat("%-22s %s\n",
                                     StrCat("/", command.name, command.arguments.empty() ? "" : " ",
                                            command.arguments),
                                     ToAbsl(command.help)));
  }
  text +=
      "\"\"\" begins and ends a message of several lines; a text that is pasted is one message.\n"
      "Ctrl-C stops an answer or clears the line, twice at an empty prompt leaves; Ctrl-D leaves.";
  Tell(session, text);
  return absl::OkStatus();
}

absl::Status Clear(std::string_view, ChatSession* session) {
  session->conversation().Clear();
  Tell(session, session->conversation().system().empty()
                    ? "the conversation is empty"
                    : "the conversation is empty but for the system message");
  return absl::OkStatus();
}

absl::Status System(std::string_view text, ChatSession* session) {
  Conversation& conversation = session->conversation();
  if (text == "-") {
    conversation.SetSystem("");
    Tell(session, "the system message was removed");
  } else if (!text.empty()) {
    conversation.SetSystem(std::string(text));
    Tell(session, "the system message was set");
  } else if (conversation.system().empty()) {
    Tell(session, "there is no system message; /system TEXT sets one");
  } else {
    Tell(session, TerminalText(conversation.system()));
  }
  return absl::OkStatus();
}

absl::Status Set(std::string_view arguments, ChatSession* session) {
  const ModelFamily& family = session->runner().family();
  if (arguments.empty()) {
    Tell(session, SettingsText(session->options(), family));
    return absl::OkStatus();
  }
  const auto [name, value] = Split(arguments);
  if (value.empty()) return absl::InvalidArgumentError(StrCat("/set ", name, " needs a value"));
  RETURN_IF_ERROR(ChangeSetting(name, value, family, &session->options()));
  Tell(session, StrCat(name, " = ", value));
  return absl::OkStatus();
}

absl::Status Save(std::string_view arguments, ChatSession* session) {
  ASSIGN_OR_RETURN(const std::string path, FileOf("save", arguments));
  const std::vector<ChatMessage>& messages = session->conversation().messages();
  RETURN_IF_ERROR(SaveConversation(messages, path));
  Tell(session, StrCat("saved ", messages.size(), " messages to ", path));
  return absl::OkStatus();
}

absl::Status Load(std::string_view arguments, ChatSession* session) {
  ASSIGN_OR_RETURN(const std::string path, FileOf("load", arguments));
  ASSIGN_OR_RETURN(std::vector<ChatMessage> messages, LoadConversation(path));
  const size_t count = messages.size();
  session->conversation().set_messages(std::move(messages));
  Tell(session, StrCat("loaded ", count, " messages from ", path));
  return absl::OkStatus();
}

absl::Status Regen(std::string_view, ChatSession* session) { return session->AnswerAgain(); }

absl::Status Stats(std::string_view, ChatSession* session) {
  Runner& runner = session->runner();
  const Conversation& conversation = session->conversation();
  const double tokens = static_cast<double>(runner.session().tokens().size());
  const double context = static_cast<double>(runner.session().context());
  Tell(session,
       StrCat(runner.StatisticsText(),
              absl::StrFormat("\n%-26s %.0f of %.0f tokens (%.0f %%)", "context_used", tokens,
                              context, 100 * tokens / context),
              absl::StrFormat("\n%-26s %d in %d turn%s", "messages", conversation.messages().size(),
                              conversation.turns(), conversation.turns() == 1 ? "" : "s")));
  return absl::OkStatus();
}

absl::Status Tools(std::string_view, ChatSession* session) {
  const std::vector<std::string>& tools = session->runner().renderer().tools();
  Tell(session, tools.empty() ? "no tools were given; --tools FILE names them"
                              : TerminalText(ToolsText(tools)));
  return absl::OkStatus();
}

absl::Status Quit(std::string_view, ChatSession* session) {
  session->Leave();
  return absl::OkStatus();
}

const Command kCommands[10] = {
    {"help", "", "list the commands", Help},
    {"clear", "", "forget the conversation, not the system message", Clear},
    {"system", "[TEXT]", "show or set the system message; - removes it", System},
    {"set", "[NAME VALUE]", "show or change sampling parameters", Set},
    {"save", "FILE", "write the conversation as JSON", Save},
    {"load", "FILE", "continue a conversation that was saved", Load},
    {"regen", "", "give the last answer again", Regen},
    {"stats", "", "show speed, context and cache", Stats},
    {"tools", "", "list the tools that the model may call", Tools},
    {"quit", "", "leave", Quit},
};

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const Command& command : kCommands) names.push_back(StrCat("/", command.name));
  return names;
}

}  // namespace

bool IsCommand(std::string_view line) {
  const std::string_view word = Split(Trimmed(line)).first;
  if (word.size() < 2 || word[0] != '/' || line.find('\n') != std::string_view::npos) return false;
  if (word == "/?") return true;
  return std::all_of(word.begin() + 1, word.end(),
                     [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; });
}

absl::Status RunCommand(std::string_view line, ChatSession* session) {
  const auto [word, arguments] = Split(Trimmed(line));
  std::string_view name = word.substr(1);
  // Those of other programs.
  if (name == "exit" || name == "bye") name = "quit";
  if (name == "?") name = "help";
  for (const Command& command : kCommands) {
    if (command.name != name) continue;
    if (command.arguments.empty() && !arguments.empty()) {
      return absl::InvalidArgumentError(StrCat(word, " takes nothing behind it"));
    }
    return command.run(arguments, session);
  }
  return absl::InvalidArgumentError(
      StrCat("unknown command ", word, DidYouMean(word, CommandNames()),
             "; /help lists them, \"\"\"", word, "\"\"\" sends it as a message"));
}

std::vector<std::string> CompleteCommand(std::string_view before) {
  std::vector<std::string> candidates = CommandNames();
  if (before.starts_with("/set ")) {
    candidates.clear();
    for (const std::string& name : SettingNames()) candidates.push_back(StrCat("/set ", name));
  }
  std::erase_if(candidates, [&](const std::string& text) { return !text.starts_with(before); });
  return before.empty() ? std::vector<std::string>() : candidates;
}

}  // namespace infer
