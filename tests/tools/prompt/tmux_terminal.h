// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/tools/cli/captured_run.h"

namespace infer {

// Why tests of the prompt cannot run here; empty if they can.
std::string WhyNoPrompt();

// infer-run in a terminal of tmux, with a home of its own. Every wait ends when the screen shows
// what is expected, and fails after a deadline that a loaded machine does not reach.
class TmuxTerminal {
 public:
  // Runs `infer-run ARGUMENTS`; `env` is written before the command. Where the program has ended,
  // the screen shows "EXIT <code>".
  explicit TmuxTerminal(const std::string& arguments, const std::string& env = "");
  ~TmuxTerminal();
  TmuxTerminal(const TmuxTerminal&) = delete;
  TmuxTerminal& operator=(const TmuxTerminal&) = delete;

  // Runs it once more, with the same home.
  void Restart(const std::string& arguments);

  // Sends keys by tmux's names: "Up", "C-c".
  void Keys(const std::string& keys);
  void Type(const std::string& text);
  void TypeLine(const std::string& text);
  // Pastes as a terminal does, in brackets if the program asked for them.
  void Paste(const std::string& text);
  void Resize(int columns, int rows);

  // What the screen shows, wrapped lines joined, without empty lines at its end.
  std::string Screen() const;
  // Waits until the screen contains `text`.
  void WaitFor(const std::string& text);
  void WaitUntil(const std::function<bool(const std::string& screen)>& holds);
  // Waits until the program waits for a line and nothing has been typed.
  void WaitForPrompt();
  // The texts of the history file, oldest first.
  std::vector<std::string> History() const;
  std::string Path(const std::string& name) const { return dir_.Path(name); }

 private:
  void Start(const std::string& arguments);
  std::string Tmux(const std::string& command) const;

  TempDir dir_;
  std::string env_;
};

}  // namespace infer
