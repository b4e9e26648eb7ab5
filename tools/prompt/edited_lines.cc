// SPDX-License-Identifier: Apache-2.0
//
// libedit draws and edits the line. It reads through a function of ours, because it knows neither
// bracketed paste nor a wait that a signal to any thread ends. Ctrl-C arrives as a character while
// a line is edited, so no signal can come at a bad moment.
#include "tools/prompt/edited_lines.h"

#include <histedit.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <deque>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "ir/base/strings.h"
#include "tools/prompt/edit_keys.h"
#include "tools/prompt/editing_terminal.h"
#include "tools/prompt/held_texts.h"
#include "tools/prompt/history_file.h"
#include "tools/prompt/key_reader.h"
#include "tools/prompt/wide_text.h"

namespace infer {
namespace {

constexpr wchar_t kCtrlCKey = 3;

// Returns what all candidates begin with; if there is only one, with a space after it.
std::string CommonBeginning(const std::vector<std::string>& candidates) {
  std::string common = candidates[0];
  for (const std::string& candidate : candidates) {
    const auto differs = std::ranges::mismatch(common, candidate).in1;
    common.erase(differs, common.end());
  }
  if (candidates.size() == 1) common += ' ';
  return common;
}

class EditedLines final : public LineSource {
 public:
  EditedLines(EditOptions options, Interrupt* interrupt)
      : options_(std::move(options)),
        interrupt_(interrupt),
        keys_(STDIN_FILENO, options_.limit_bytes, [this] { return OnWait(); }),
        size_(TerminalSize()) {}

  ~EditedLines() override {
    if (edit_ != nullptr) {
      Print(BracketedPasteOff());
      el_end(edit_);
    }
    if (history_ != nullptr) history_wend(history_);
  }

  bool Start() {
    edit_ = el_init("infer", stdin, stdout, stderr);
    history_ = history_winit();
    if (edit_ == nullptr || history_ == nullptr) return false;
    HistEventW event;
    history_w(history_, &event, H_SETSIZE, static_cast<int>(HistoryFile::kMaxEntries));
    history_w(history_, &event, H_SETUNIQUE, 1);
    for (const std::string& text : options_.history) AddToHistory(text);
    el_wset(edit_, EL_CLIENTDATA, this);
    el_wset(edit_, EL_HIST, history_w, history_);
    el_wset(edit_, EL_PROMPT, &EditedLines::Prompt);
    el_wset(edit_, EL_GETCFN, &EditedLines::GetCharacter);
    el_wset(edit_, EL_SIGNAL, 0);
    el_wset(edit_, EL_EDITOR, L"emacs");
    el_source(edit_, nullptr);  // the user's own ~/.editrc
    el_wset(edit_, EL_SETTY, L"-d", L"-isig", nullptr);
    AddKeys();
    Print(BracketedPasteOn());
    return true;
  }

  absl::StatusOr<InputLine> Next(std::string_view prompt) override {
    prompt_ = Wide(prompt);
    event_ = Event::kNone;
    Resize();
    int count = 0;
    const wchar_t* line = el_wgets(edit_, &count);
    if (event_ == Event::kStopped) return absl::CancelledError("interrupted");
    if (event_ == Event::kInterrupt) {
      Print("^C\n");
      return InputLine{InputLine::Kind::kInterrupt, "", interrupted_empty_};
    }
    if (line == nullptr || count <= 0) {
      Print("\n");
      return InputLine{InputLine::Kind::kEnd};
    }
    std::wstring_view wide(line, static_cast<size_t>(count));
    while (wide.ends_with(L'\n') || wide.ends_with(L'\r')) wide.remove_suffix(1);
    return InputLine{InputLine::Kind::kText, held_.Expanded(Narrow(wide))};
  }

  void Remember(std::string_view text) override {
    AddToHistory(text);
    if (options_.on_remember) options_.on_remember(text);
  }

 private:
  enum class Event { kNone, kInterrupt, kStopped };

  static EditedLines* Self(EditLine* edit) {
    void* self = nullptr;
    el_wget(edit, EL_CLIENTDATA, &self);
    return static_cast<EditedLines*>(self);
  }
  static wchar_t* Prompt(EditLine* edit) { return Self(edit)->prompt_.data(); }
  static int GetCharacter(EditLine* edit, wchar_t* c) { return Self(edit)->NextCharacter(c); }
  static unsigned char OnInterrupt(EditLine* edit, int) { return Self(edit)->Interrupted(); }
  static unsigned char OnComplete(EditLine* edit, int) { return Self(edit)->Complete(); }
  static unsigned char OnSuspend(EditLine* edit, int) { return Self(edit)->Suspend(); }

  void Print(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }

  void AddToHistory(std::string_view text) {
    HistEventW event;
    history_w(history_, &event, H_ENTER, Wide(held_.Shown(text)).c_str());
  }

  void AddKeys() {
    el_wset(edit_, EL_ADDFN, L"infer-interrupt", L"Stops editing", &EditedLines::OnInterrupt);
    el_wset(edit_, EL_ADDFN, L"infer-complete", L"Completes a command", &EditedLines::OnComplete);
    el_wset(edit_, EL_ADDFN, L"infer-suspend", L"Suspends the program", &EditedLines::OnSuspend);
    BindEditKeys(edit_);
  }

  // Follows a terminal whose size has changed; libedit would need a signal handler for that.
  bool Resize() {
    const std::pair<int, int> size = TerminalSize();
    if (size == size_) return false;
    size_ = size;
    el_resize(edit_);
    return true;
  }

  // Erases the line, of which libedit no longer knows where it stands after a resize: terminals
  // have wrapped it anew.
  void EraseLine() {
    const LineInfoW* line = el_wline(edit_);
    int columns = 0;
    for (wchar_t c : prompt_ + std::wstring(line->buffer, line->cursor)) {
      columns += std::max(wcwidth(c), 0);
    }
    const int rows = size_.second > 0 ? columns / size_.second : 0;
    Print(StrCat(rows > 0 ? StrCat("\x1b[", rows, "A") : std::string(), "\r\x1b[J"));
  }

  bool OnWait() {
    if (Resize()) {
      EraseLine();
      el_wset(edit_, EL_REFRESH);
    }
    return !interrupt_->requested();
  }

  // Returns 1 with a character, 0 at the end.
  int NextCharacter(wchar_t* c) {
    if (event_ != Event::kNone) return 0;
    while (typed_.empty()) {
      KeyReader::Key key = keys_.Next();
      switch (key.kind) {
        case KeyReader::Key::Kind::kCharacter:
          typed_.push_back(static_cast<wchar_t>(key.character));
          break;
        case KeyReader::Key::Kind::kPaste:
          for (wchar_t pasted : Wide(held_.Shown(key.paste))) typed_.push_back(pasted);
          if (key.cut && options_.on_cut) options_.on_cut();
          break;
        case KeyReader::Key::Kind::kEnd:
          return 0;
        case KeyReader::Key::Kind::kStopped:
          if (!interrupt_->TakeInterrupt()) {  // SIGTERM
            event_ = Event::kStopped;
            return 0;
          }
          typed_.push_back(kCtrlCKey);
          break;
      }
    }
    *c = typed_.front();
    typed_.pop_front();
    return 1;
  }

  unsigned char Interrupted() {
    const LineInfoW* line = el_wline(edit_);
    interrupted_empty_ = line->lastchar == line->buffer;
    // Ends at the next character, after libedit has moved the cursor behind the line.
    event_ = Event::kInterrupt;
    el_cursor(edit_, static_cast<int>(line->lastchar - line->cursor));
    return CC_REFRESH;
  }

  unsigned char Suspend() {
    el_wset(edit_, EL_PREP_TERM, 0);
    kill(0, SIGTSTP);
    el_wset(edit_, EL_PREP_TERM, 1);
    return CC_REDISPLAY;
  }

  unsigned char Complete() {
    if (!options_.complete) return CC_ERROR;
    const LineInfoW* line = el_wline(edit_);
    const std::string before = Narrow({line->buffer, line->cursor});
    const std::vector<std::string> candidates = options_.complete(before);
    if (candidates.empty()) return CC_ERROR;
    const std::string common = CommonBeginning(candidates);
    if (common.size() > before.size()) {
      el_winsertstr(edit_, Wide(std::string_view(common).substr(before.size())).c_str());
      return CC_REFRESH;
    }
    Print(StrCat("\n", absl::StrJoin(candidates, "  "), "\n"));
    return CC_REDISPLAY;
  }

  EditOptions options_;
  Interrupt* interrupt_;
  KeyReader keys_;
  std::pair<int, int> size_;
  EditLine* edit_ = nullptr;
  HistoryW* history_ = nullptr;
  HeldTexts held_;
  std::wstring prompt_;
  std::deque<wchar_t> typed_;
  Event event_ = Event::kNone;
  bool interrupted_empty_ = true;
};

}  // namespace

std::unique_ptr<LineSource> MakeEditedLines(EditOptions options, Interrupt* interrupt) {
  if (!CanEditLines()) return nullptr;
  auto lines = std::make_unique<EditedLines>(std::move(options), interrupt);
  if (!lines->Start()) return nullptr;
  return lines;
}

}  // namespace infer
