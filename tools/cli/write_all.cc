// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/write_all.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ir/base/strings.h"
#include "tools/cli/exit_code.h"

namespace infer {

absl::Status IoError(std::string_view name, std::string_view doing, int errno_value) {
  if (errno_value == EPIPE) {
    return WithExitCode(
        absl::AbortedError(StrCat(name, ": ", doing, " failed: the reader has closed the pipe")),
        kExitClosedPipe);
  }
  return absl::AbortedError(
      StrCat(name, ": ", doing, " failed: ", std::generic_category().message(errno_value)));
}

absl::Status WriteAll(int fd, std::string_view bytes, std::string_view name) {
  while (!bytes.empty()) {
    ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      pollfd ready = {fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return IoError(name, "write", errno);
    }
  }
  return absl::OkStatus();
}

}  // namespace infer
