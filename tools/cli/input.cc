// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/input.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ir/strings.h"

namespace infer {
namespace {

absl::StatusOr<std::string> ReadAll(int fd, const std::string& name, uint64_t limit_bytes) {
  std::string text;
  char chunk[64 * 1024];
  for (;;) {
    ssize_t count = read(fd, chunk, sizeof(chunk));
    if (count == 0) return text;
    // Only handlers installed without SA_RESTART get here: those of Interrupt.
    if (count < 0 && errno == EINTR) {
      return absl::CancelledError(StrCat(name, ": interrupted while reading"));
    }
    if (count < 0) {
      return absl::InvalidArgumentError(
          StrCat(name, ": cannot be read: ", std::generic_category().message(errno)));
    }
    text.append(chunk, static_cast<size_t>(count));
    if (text.size() > limit_bytes) {
      return absl::InvalidArgumentError(
          StrCat(name, ": holds more than the ", limit_bytes, " bytes allowed here"));
    }
  }
}

}  // namespace

absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t limit_bytes) {
  if (path == "-") return ReadAll(STDIN_FILENO, "stdin", limit_bytes);
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return absl::NotFoundError(
        StrCat(path, ": cannot be opened: ", std::generic_category().message(errno)));
  }
  absl::StatusOr<std::string> text = ReadAll(fd, path, limit_bytes);
  close(fd);
  return text;
}

}  // namespace infer
