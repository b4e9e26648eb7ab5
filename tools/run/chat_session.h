// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "tools/cli/tool.h"
#include "tools/prompt/message_reader.h"
#include "tools/run/chat_prompt.h"
#include "tools/run/conversation.h"
#include "tools/run/run_options.h"
#include "tools/run/runner.h"

namespace infer {

// A chat: messages in, answers out. Commands of chat_commands.h act on it. `runner` and `context`
// must outlive it.
class ChatSession {
 public:
  ChatSession(const RunOptions& options, Runner* runner, ToolContext* context);

  // Answers the last message of the conversation, which becomes longer by the answer. If the answer
  // fails, or is interrupted before it has begun, the message is removed again.
  absl::Status Answer();
  // Answers `message`.
  absl::Status Say(std::string message);
  // Gives the last answer once more. Its prompt is still in the cache.
  absl::Status AnswerAgain();

  // Answers what `source` brings until it ends, the user leaves or, if nobody types, an answer
  // fails.
  absl::Status Run(LineSource* source, bool interactive);
  // Ends Run.
  void Leave() { left_ = true; }

  Conversation& conversation() { return conversation_; }
  RunOptions& options() { return options_; }
  Runner& runner() { return *runner_; }
  ToolContext& context() { return *context_; }

 private:
  absl::Status Handle(const InputMessage& message, bool interactive);
  // Returns whether the user leaves.
  bool OnInterrupt(bool was_empty);
  // Answers `prompt`. Should the context get full meanwhile, the oldest turns are removed from the
  // conversation, and counted in `dropped_turns`.
  absl::StatusOr<ChatMessage> Generate(const ChatPrompt& prompt, AnswerSpeed* speed,
                                       int64_t* dropped_turns);
  void SayDropped(int64_t turns);
  // Asks for the results of the calls that the last answer makes, and answers them, until there are
  // none.
  absl::Status AnswerCalls();
  absl::StatusOr<InputMessage> ReadResult(const std::string& tool);

  RunOptions options_;  // changed by /set
  Runner* runner_;
  ToolContext* context_;
  Conversation conversation_;
  bool interactive_ = false;
  bool asked_for_result_ = false;  // of a tool, so the question has been explained
  bool left_ = false;
  MessageReader* messages_ = nullptr;  // while Run runs
  int interrupts_ = 0;                 // Ctrl-C since the last line was entered
  uint64_t attempt_ = 0;               // of the last answer: each has a seed of its own
};

// The whole chat of infer-run: one message of the command line, or a prompt.
absl::Status RunChat(const RunOptions& options, Runner* runner, ToolContext* context);

}  // namespace infer
