// SPDX-License-Identifier: Apache-2.0
#include "tools/prompt/key_reader.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "frontends/tokenizer/utf8.h"

namespace infer {
namespace {

constexpr std::string_view kPasteBegin = "\x1b[200~";
constexpr std::string_view kPasteEnd = "\x1b[201~";
constexpr char kEscape = '\x1b';
constexpr char kCtrlC = '\x03';
constexpr int kWatchMs = 100;
// How long the rest of a sequence may take: terminals send it in one piece, networks split it.
constexpr int kSequenceMs = 50;

// Terminals send a carriage return for each newline of a pasted text.
std::string WithNewlines(std::string_view text) {
  std::string lines;
  lines.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      lines += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      lines += '\n';
    }
  }
  return lines;
}

}  // namespace

std::string_view BracketedPasteOn() { return "\x1b[?2004h"; }
std::string_view BracketedPasteOff() { return "\x1b[?2004l"; }

KeyReader::Wait KeyReader::Fill(size_t bytes, int wait_ms) {
  int waited_ms = 0;
  while (buffer_.size() < bytes) {
    pollfd watched = {fd_, POLLIN, 0};
    const int slice_ms = wait_ms == 0 ? kWatchMs : std::min(kWatchMs, wait_ms - waited_ms);
    const int ready = poll(&watched, 1, slice_ms);
    if (ready <= 0) {
      if (ready < 0 && errno != EINTR) return Wait::kEnd;
      if (!on_wait_()) return Wait::kStopped;
      waited_ms += slice_ms;
      if (wait_ms != 0 && waited_ms >= wait_ms) return Wait::kNothing;
      continue;
    }
    char chunk[65536];
    const ssize_t count = read(fd_, chunk, sizeof(chunk));
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return Wait::kEnd;
    buffer_.append(chunk, static_cast<size_t>(count));
    waited_ms = 0;
  }
  return Wait::kReady;
}

KeyReader::Key KeyReader::Stopped(Wait wait) const {
  return {wait == Wait::kStopped ? Key::Kind::kStopped : Key::Kind::kEnd};
}

bool KeyReader::BeginsPaste() {
  for (size_t i = 1; i <= kPasteBegin.size(); ++i) {
    if (buffer_.size() < i && Fill(i, kSequenceMs) != Wait::kReady) return false;
    if (buffer_[i - 1] != kPasteBegin[i - 1]) return false;
  }
  return true;
}

KeyReader::Key KeyReader::Next() {
  if (Wait wait = Fill(1, 0); wait != Wait::kReady) return Stopped(wait);
  if (buffer_[0] == kEscape && BeginsPaste()) return Paste();
  return Character();
}

KeyReader::Key KeyReader::Paste() {
  buffer_.erase(0, kPasteBegin.size());
  Key key{Key::Kind::kPaste};
  // What the end mark may begin in stays in the buffer; the rest moves to the text, so that each
  // byte is searched once and the memory is bounded.
  for (;;) {
    const size_t end = buffer_.find(kPasteEnd);
    size_t whole = end;
    if (end == std::string::npos)
      whole = buffer_.size() - std::min(buffer_.size(), kPasteEnd.size());
    // The way out if the end mark never comes.
    const bool abandoned = buffer_.find(kCtrlC) < end;
    const size_t kept = std::min<size_t>(whole, limit_bytes_ - key.paste.size());
    key.paste.append(buffer_, 0, kept);
    key.cut |= kept < whole;
    buffer_.erase(0, whole);
    if (abandoned) {
      buffer_.clear();
      return {Key::Kind::kCharacter, static_cast<char32_t>(kCtrlC)};
    }
    if (end != std::string::npos) {
      buffer_.erase(0, kPasteEnd.size());
      key.paste = WithNewlines(key.paste);
      return key;
    }
    if (Wait wait = Fill(buffer_.size() + 1, 0); wait != Wait::kReady) return Stopped(wait);
  }
}

KeyReader::Key KeyReader::Character() {
  Utf8Scan scan = ScanUtf8(buffer_);
  while (scan.kind == Utf8Kind::kTruncated) {
    if (Fill(buffer_.size() + 1, kSequenceMs) != Wait::kReady) break;
    scan = ScanUtf8(buffer_);
  }
  const bool valid = scan.kind == Utf8Kind::kComplete;
  Key key{Key::Kind::kCharacter, valid ? DecodeValidUtf8(buffer_, 0).value : kReplacementCharacter};
  buffer_.erase(0, scan.bytes);
  return key;
}

}  // namespace infer
