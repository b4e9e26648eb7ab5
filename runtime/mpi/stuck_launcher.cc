// SPDX-License-Identifier: Apache-2.0
#include "runtime/mpi/stuck_launcher.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "ir/base/strings.h"

namespace infer {

#if defined(SYS_pidfd_open) && defined(SYS_close_range)

namespace {

// Between asking the launcher to end and ending it: one that works first ends its ranks, which
// takes it a second.
constexpr int kTermMs = 1200;

// The launcher of a host, and what it starts on others. A scheduler or a shell is not ours to end.
bool IsLauncher(pid_t process) {
  constexpr std::array<std::string_view, 6> kNames = {"mpirun",  "mpiexec", "orterun",
                                                      "prterun", "orted",   "prted"};
  std::string name;
  std::getline(std::ifstream(StrCat("/proc/", process, "/comm")), name);
  return std::ranges::any_of(kNames, [&](std::string_view known) {
    return name == known ||
           name == StrCat(known, ".openmpi").substr(0, 15);  // what the system keeps
  });
}

// Between fork and exit only system calls: another thread may have held any lock.
[[noreturn]] void WaitAndEnd(int launcher, int patience_ms) {
  setsid();  // the launcher ends whole process groups
  // It also waits for the end of the ranks' output.
  const bool closed =
      (launcher == 0 || syscall(SYS_close_range, 0, launcher - 1, 0) == 0) &&
      syscall(SYS_close_range, launcher + 1, std::numeric_limits<unsigned>::max(), 0) == 0;
  const auto stays = [launcher](int ms) {
    pollfd end = {.fd = launcher, .events = POLLIN, .revents = 0};
    return poll(&end, 1, ms) == 0;
  };
  if (closed && stays(patience_ms)) {
    syscall(SYS_pidfd_send_signal, launcher, SIGTERM, nullptr, 0);
    if (stays(kTermMs)) syscall(SYS_pidfd_send_signal, launcher, SIGKILL, nullptr, 0);
  }
  _exit(0);
}

}  // namespace

void EndStuckLauncher(std::chrono::milliseconds patience) {
  const pid_t parent = getppid();
  const auto launcher = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
  if (launcher < 0 || getppid() != parent || !IsLauncher(parent)) return;
  if (fork() == 0) WaitAndEnd(launcher, static_cast<int>(patience.count()));
}

#else

void EndStuckLauncher(std::chrono::milliseconds) {}

#endif

}  // namespace infer
