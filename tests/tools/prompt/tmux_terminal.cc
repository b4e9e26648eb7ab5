// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/prompt/tmux_terminal.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>

#include "tests/support/hang_limit.h"
#include "tools/prompt/history_file.h"

namespace infer {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

std::string WhyNoPrompt() {
  if (INFER_HAS_LIBEDIT == 0) return "this build has no libedit";
  return RunShell("tmux -V").code == 0 ? "" : "tmux is not installed";
}

TmuxTerminal::TmuxTerminal(const std::string& arguments, const std::string& env) : env_(env) {
  WriteFile(dir_.Path("conf"), "set -g remain-on-exit on\nset -g history-limit 5000\n");
  Start(arguments);
}

TmuxTerminal::~TmuxTerminal() { Tmux("kill-server"); }

std::string TmuxTerminal::Tmux(const std::string& command) const {
  return RunShell("unset TMUX; tmux -S " + Quoted(dir_.Path("socket")) + " -f " +
                  Quoted(dir_.Path("conf")) + " -u " + command)
      .out;
}

void TmuxTerminal::Start(const std::string& arguments) {
  // The shell must survive the Ctrl-C that is meant for the program.
  WriteFile(dir_.Path("start"),
            "trap : INT\nexport HOME=" + Quoted(dir_.path()) +
                " XDG_STATE_HOME=" + Quoted(dir_.Path("state")) + "\nunset INFER_LOG\n" + env_ +
                " '" INFER_BIN_DIR "/infer-run' " + arguments + "\necho EXIT $?\n");
  Tmux("new-session -d -x 90 -y 30 sh " + Quoted(dir_.Path("start")));
}

void TmuxTerminal::Restart(const std::string& arguments) {
  Tmux("kill-server");
  Start(arguments);
}

void TmuxTerminal::Keys(const std::string& keys) { Tmux("send-keys " + keys); }
void TmuxTerminal::Type(const std::string& text) { Tmux("send-keys -l " + Quoted(text)); }

void TmuxTerminal::TypeLine(const std::string& text) {
  Type(text);
  Keys("Enter");
}

void TmuxTerminal::Paste(const std::string& text) {
  WriteFile(dir_.Path("pasted"), text);
  Tmux("load-buffer " + Quoted(dir_.Path("pasted")));
  Tmux("paste-buffer -p");
}

void TmuxTerminal::Resize(int columns, int rows) {
  Tmux("resize-window -x " + std::to_string(columns) + " -y " + std::to_string(rows));
}

std::string TmuxTerminal::Screen() const {
  std::string screen = Tmux("capture-pane -p -J");
  while (screen.ends_with('\n') || screen.ends_with(' ')) screen.pop_back();
  return screen;
}

void TmuxTerminal::WaitUntil(const std::function<bool(const std::string& screen)>& holds) {
  std::string screen;
  const auto shows = [&] {
    screen = Screen();
    return holds(screen);
  };
  const bool shown = infer::WaitUntil(shows, std::chrono::milliseconds(20));
  ASSERT_TRUE(shown) << "the screen:\n" << screen;
}

void TmuxTerminal::WaitFor(const std::string& text) {
  SCOPED_TRACE("waiting for " + text);
  WaitUntil([&](const std::string& screen) { return screen.find(text) != std::string::npos; });
}

void TmuxTerminal::WaitForPrompt() {
  SCOPED_TRACE("waiting for the prompt");
  WaitUntil([](const std::string& screen) { return screen.ends_with("\n>"); });
}

std::vector<std::string> TmuxTerminal::History() const {
  return *HistoryFile(dir_.Path("state/infer/history")).Load();
}

}  // namespace infer
