// SPDX-License-Identifier: Apache-2.0
#include "runtime/run_delay.h"

#include <cinttypes>
#include <cstdio>

#if defined(__linux__)
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace infer {

#if defined(__linux__)

namespace {

// /proc/self/task/ID/schedstat: time on a CPU, time waiting for one, number of turns.
std::optional<int64_t> DelayOf(int id) {
  char path[64];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", id);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  char text[128];
  const ssize_t bytes = read(file, text, sizeof(text) - 1);
  close(file);
  if (bytes <= 0) return std::nullopt;
  text[bytes] = 0;
  int64_t delay = 0;
  if (std::sscanf(text, "%*s %" SCNd64, &delay) != 1) return std::nullopt;
  return delay;
}

}  // namespace

std::optional<int64_t> RunDelayNs(std::span<const int> thread_ids) {
  int64_t sum = 0;
  for (int id : thread_ids) {
    const std::optional<int64_t> delay = DelayOf(id);
    if (!delay) return std::nullopt;
    sum += *delay;
  }
  return sum;
}

int ThreadId() { return static_cast<int>(syscall(SYS_gettid)); }

#else

std::optional<int64_t> RunDelayNs(std::span<const int>) { return std::nullopt; }
int ThreadId() { return 0; }

#endif

}  // namespace infer
