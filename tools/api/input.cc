// SPDX-License-Identifier: Apache-2.0
#include "tools/api/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kHeadBytes = 512;

absl::Status TooLarge(const std::string& name, std::string_view text, uint64_t limit_bytes) {
  // The magic followed by a small version number, whose zero bytes no text has.
  const bool is_gguf = text.starts_with("GGUF") && text.size() > 7 && text[5] == 0 && text[6] == 0;
  return absl::InvalidArgumentError(StrCat(name, is_gguf ? ": is a GGUF model, which" : ":",
                                           " holds more than the ", limit_bytes,
                                           " bytes allowed here"));
}

absl::Status Interrupted(const std::string& name) {
  return absl::CancelledError(StrCat(name, ": interrupted while reading"));
}

bool IsSet(const std::atomic<bool>* stop) { return stop != nullptr && *stop; }

absl::StatusOr<std::string> ReadAll(int fd, const std::string& name, uint64_t limit_bytes,
                                    HeadCheck check, const std::atomic<bool>* stop) {
  std::string text;
  char chunk[64 * 1024];
  for (;;) {
    ssize_t count = read(fd, chunk, sizeof(chunk));
    if (count > 0) text.append(chunk, static_cast<size_t>(count));
    // A pipe may return less than a full head at first.
    if (check && (count == 0 || text.size() >= kHeadBytes)) {
      RETURN_IF_ERROR(check(std::string_view(text).substr(0, kHeadBytes)));
      check = nullptr;
    }
    if (count == 0) return text;
    if (count < 0 && errno == EINTR) {
      if (IsSet(stop)) return Interrupted(name);
      continue;
    }
    if (count < 0) {
      return absl::InvalidArgumentError(
          StrCat(name, ": cannot be read: ", std::generic_category().message(errno)));
    }
    if (text.size() > limit_bytes) return TooLarge(name, text, limit_bytes);
  }
}

}  // namespace

absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t limit_bytes,
                                      const HeadCheck& check, const std::atomic<bool>* stop) {
  if (path == "-") return ReadAll(STDIN_FILENO, "stdin", limit_bytes, check, stop);
  int fd = -1;
  // A FIFO that nobody writes to waits here.
  while ((fd = open(path.c_str(), O_RDONLY | O_CLOEXEC)) < 0 && errno == EINTR) {
    if (IsSet(stop)) return Interrupted(path);
  }
  if (fd < 0) {
    return absl::NotFoundError(
        StrCat(path, ": cannot be opened: ", std::generic_category().message(errno)));
  }
  absl::StatusOr<std::string> text = ReadAll(fd, path, limit_bytes, check, stop);
  close(fd);
  return text;
}

}  // namespace infer
