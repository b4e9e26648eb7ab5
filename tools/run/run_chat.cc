// SPDX-License-Identifier: Apache-2.0
//
// Chooses where a chat reads from, and prepares the terminal if there is one.
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/strings.h"
#include "tools/prompt/edited_lines.h"
#include "tools/prompt/history_file.h"
#include "tools/prompt/plain_lines.h"
#include "tools/run/chat_commands.h"
#include "tools/run/chat_session.h"

namespace infer {
namespace {

// Returns null if lines cannot be edited here.
std::unique_ptr<LineSource> EditedLines(HistoryFile* history, ToolContext* context) {
  EditOptions edit;
  edit.limit_bytes = kMaxPromptBytes;
  edit.complete = CompleteCommand;
  edit.on_cut = [context] {
    context->console().Warning(StrCat("the pasted text was cut after ", kMaxPromptBytes, " bytes"));
  };
  if (history != nullptr) {
    absl::StatusOr<std::vector<std::string>> entries = history->Load();
    if (entries.ok()) edit.history = *std::move(entries);
    if (!entries.ok()) context->console().Warning(ToStd(entries.status().message()));
    edit.on_remember = [history, context, warned = false](std::string_view text) mutable {
      const absl::Status kept = history->Append(text);
      if (!kept.ok() && !std::exchange(warned, true)) {
        context->console().Warning(
            StrCat(ToStd(kept.message()), "; use --no-history to do without"));
      }
    };
  }
  return MakeEditedLines(std::move(edit), &context->interrupt());
}

}  // namespace

absl::Status RunChat(const RunOptions& options, Runner* runner, ToolContext* context) {
  ChatSession session(options, runner, context);
  if (options.prompt || !options.prompt_file.empty()) return session.Answer();

  const bool interactive = isatty(STDIN_FILENO) != 0;
  const bool on_terminal = interactive && context->out().is_terminal();
  std::unique_ptr<HistoryFile> history;
  const std::string history_path = HistoryPath(ProcessEnv());
  if (options.history && !history_path.empty()) {
    history = std::make_unique<HistoryFile>(history_path);
  }
  std::unique_ptr<LineSource> source;
  if (on_terminal && !options.plain) source = EditedLines(history.get(), context);
  if (source == nullptr) {
    source = std::make_unique<PlainLines>(STDIN_FILENO, kMaxPromptBytes, &context->interrupt(),
                                          interactive ? STDERR_FILENO : -1);
  }
  if (interactive) {
    context->console().Info("write a message; /help lists the commands, Ctrl-D leaves");
  }
  return session.Run(source.get(), interactive);
}

}  // namespace infer
