// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace infer {

// Reads what is typed at a terminal in raw mode: characters, and texts that are pasted. A terminal
// with bracketed paste marks a pasted text with ESC[200~ and ESC[201~, so that its newlines do not
// count as the end of the line.
class KeyReader {
 public:
  struct Key {
    enum class Kind {
      kCharacter,
      kPaste,
      kEnd,      // the terminal is gone
      kStopped,  // on_wait returned false
    };
    Kind kind = Kind::kEnd;
    char32_t character = 0;
    std::string paste = {};
    bool cut = false;  // the paste was longer than the limit
  };

  // `on_wait` is called about ten times a second while nothing is typed; false ends the wait. A
  // paste keeps at most `limit_bytes`.
  KeyReader(int fd, uint64_t limit_bytes, std::function<bool()> on_wait)
      : fd_(fd), limit_bytes_(limit_bytes), on_wait_(std::move(on_wait)) {}

  Key Next();

 private:
  enum class Wait { kReady, kNothing, kEnd, kStopped };

  // Makes at least `bytes` bytes available, waiting at most `wait_ms` for each; 0 waits for ever.
  Wait Fill(size_t bytes, int wait_ms);
  Key Stopped(Wait wait) const;
  bool BeginsPaste();
  Key Paste();
  Key Character();

  int fd_;
  uint64_t limit_bytes_;
  std::function<bool()> on_wait_;
  std::string buffer_;  // bytes that were read and not yet handed out
};

// Switches bracketed paste of a terminal on or off.
std::string_view BracketedPasteOn();
std::string_view BracketedPasteOff();

}  // namespace infer
