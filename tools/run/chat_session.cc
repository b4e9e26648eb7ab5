// SPDX-License-Identifier: Apache-2.0
#include "tools/run/chat_session.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/flag_advice.h"
#include "tools/prompt/terminal_text.h"
#include "tools/run/answer_view.h"
#include "tools/run/chat_commands.h"

namespace infer {
namespace {

constexpr std::string_view kPrompt = "> ";
constexpr std::string_view kNextPrompt = ". ";

bool IsBlank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

ChatSession::ChatSession(const RunOptions& options, Runner* runner, ToolContext* context)
    : options_(options),
      runner_(runner),
      context_(context),
      conversation_(runner->conversation()) {}

absl::StatusOr<ChatMessage> ChatSession::Generate(const ChatPrompt& prompt, AnswerSpeed* speed,
                                                  int64_t* dropped_turns) {
  SamplerOptions sampler = SamplerFor(options_, runner_->family());
  sampler.seed += attempt_;
  ProductStream product(&context_->out(), options_.emit);
  ChatMessage answer;
  {
    AnswerView view(&product, context_->console().color() && !options_.plain);
    AnswerReader reader(
        prompt.thought_is_open(), runner_->renderer().tools(),
        [&](AnswerPart part, std::string_view text) { return view.Show(part, text); });
    // The prompt has the tag, and the line that follows it.
    if (prompt.answer_start.ends_with('\n')) view.Show(AnswerPart::kThought, "\n");
    int64_t answered = 0;
    const Runner::Sink sink = {[&](std::string_view piece) { return reader.Feed(piece); },
                               [&](int32_t id) {
                                 ++answered;
                                 product.Id(id);
                               }};
    Runner::Request request = {.prompt = prompt.ids,
                               .thought_is_open = prompt.thought_is_open(),
                               .answers_results = conversation_.messages().back().role == "tool",
                               .sampler = sampler,
                               .max_tokens = options_.max_tokens};
    request.shorten_prompt = [&]() -> std::optional<std::vector<int32_t>> {
      std::optional<FittedPrompt> shorter =
          ShortenPrompt(runner_->renderer(), options_.think, runner_->session().context(), answered,
                        &conversation_);
      if (!shorter) return std::nullopt;
      *dropped_turns += shorter->dropped_turns;
      return std::move(shorter->prompt.ids);
    };
    RETURN_IF_ERROR(runner_->Generate(request, sink, speed).status());
    reader.Finish();
    answer = reader.TakeMessage();
  }
  RETURN_IF_ERROR(product.Finish());
  return answer;
}

void ChatSession::SayDropped(int64_t turns) {
  if (turns == 0) return;
  context_->console().Info(
      StrCat("the context of ", runner_->session().context(), " tokens is full: the ",
             turns == 1 ? std::string("oldest turn was") : StrCat("oldest ", turns, " turns were"),
             " removed from the conversation"));
}

absl::Status ChatSession::Answer() {
  ASSIGN_OR_RETURN(FittedPrompt fitted,
                   FitPrompt(runner_->renderer(), options_.think, runner_->session().context(),
                             options_.max_tokens, &conversation_));
  SayDropped(fitted.dropped_turns);
  context_->console().Debug(StrCat("prompt   ", fitted.prompt.ids.size(), " tokens: \"",
                                   absl::Utf8SafeCEscape(fitted.prompt.text), "\""));
  AnswerSpeed speed;
  int64_t dropped_turns = 0;
  ASSIGN_OR_RETURN(ChatMessage answer, Generate(fitted.prompt, &speed, &dropped_turns));
  SayDropped(dropped_turns);
  runner_->PrintSpeed(speed);
  if (speed.reason == StopReason::kCancelled) {
    if (!interactive_ || !context_->interrupt().TakeInterrupt()) {
      return context_->interrupt().Check();
    }
    interrupts_ = 1;
    if (speed.new_tokens == 0) {
      return absl::AbortedError(
          "there is no answer yet, so the message was taken back; the up "
          "arrow brings it into the line again");
    }
  }
  conversation_.Add(std::move(answer));
  return absl::OkStatus();
}

// A command is not meant as a result, and commands work at the prompt for messages only.
absl::StatusOr<InputMessage> ChatSession::ReadResult(const std::string& tool) {
  if (interactive_ && !std::exchange(asked_for_result_, true)) {
    context_->console().Info(
        StrCat("what does ", tool, " return? Ctrl-C leaves the call without a result"));
  }
  while (true) {
    runner_->Pause();
    ASSIGN_OR_RETURN(InputMessage result, messages_->Next(StrCat(tool, "> "), kNextPrompt));
    const bool is_command = interactive_ && result.kind == InputLine::Kind::kText &&
                            !result.quoted && IsCommand(result.text);
    if (!is_command) return result;
    context_->console().Info(StrCat("here the result of ", tool,
                                    " is expected; Ctrl-C leads back to where commands work, "
                                    "\"\"\"",
                                    result.text, "\"\"\" gives it as the result"));
  }
}

absl::Status ChatSession::AnswerCalls() {
  while (messages_ != nullptr && !conversation_.messages().back().tool_calls.empty()) {
    const Conversation before = conversation_;
    for (const ChatToolCall& call : before.messages().back().tool_calls) {
      ASSIGN_OR_RETURN(InputMessage result, ReadResult(TerminalText(call.name)));
      if (result.kind == InputLine::Kind::kEnd) Leave();
      // Without results the conversation goes on with the user's next message.
      if (result.kind != InputLine::Kind::kText) return absl::OkStatus();
      ChatMessage message;
      message.role = "tool";
      message.content = std::move(result.text);
      conversation_.Add(std::move(message));
    }
    const absl::Status answered = Answer();
    if (!answered.ok()) conversation_ = before;
    RETURN_IF_ERROR(answered);
  }
  return absl::OkStatus();
}

absl::Status ChatSession::Say(std::string message) {
  conversation_.AddUser(std::move(message));
  attempt_ = 0;
  const absl::Status answered = Answer();
  if (!answered.ok()) conversation_.DropLastTurn();
  RETURN_IF_ERROR(answered);
  return AnswerCalls();
}

absl::Status ChatSession::AnswerAgain() {
  const Conversation before = conversation_;
  if (!conversation_.DropAnswer()) {
    return absl::FailedPreconditionError("there is no answer to give again; say something first");
  }
  ++attempt_;
  const absl::Status answered = Answer();
  if (!answered.ok()) conversation_ = before;
  RETURN_IF_ERROR(answered);
  return AnswerCalls();
}

bool ChatSession::OnInterrupt(bool was_empty) {
  if (was_empty && interrupts_ > 0) return true;
  ++interrupts_;
  if (was_empty) context_->console().Info("Ctrl-C again, Ctrl-D or /quit leaves");
  return false;
}

absl::Status ChatSession::Handle(const InputMessage& message, bool interactive) {
  if (interactive && !message.quoted && IsCommand(message.text)) {
    return RunCommand(message.text, this);
  }
  return Say(message.text);
}

absl::Status ChatSession::Run(LineSource* source, bool interactive) {
  interactive_ = interactive;
  MessageReader messages(source, kMaxPromptBytes);
  messages_ = &messages;
  while (!left_) {
    runner_->Pause();
    ASSIGN_OR_RETURN(InputMessage message, messages.Next(kPrompt, kNextPrompt));
    if (message.kind == InputLine::Kind::kEnd) return absl::OkStatus();
    if (message.kind == InputLine::Kind::kInterrupt) {
      if (OnInterrupt(message.was_empty)) return absl::OkStatus();
      continue;
    }
    interrupts_ = 0;
    if (IsBlank(message.text)) continue;
    source->Remember(message.text);
    const absl::Status status = Handle(message, interactive);
    if (status.ok()) continue;
    // At a prompt an error is told, and the conversation goes on; without one there is nobody to
    // tell.
    if (!interactive || absl::IsCancelled(status) || ExitCodeFor(status) == kExitClosedPipe) {
      return status;
    }
    auto has_flag = [this](std::string_view name) { return context_->HasFlag(name); };
    context_->console().Error(WithFlagAdvice(status, has_flag));
  }
  return absl::OkStatus();
}

}  // namespace infer
