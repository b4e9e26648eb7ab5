// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace infer::metrics {
namespace {

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Close to the start of the process: initialized before main.
const double kStartSeconds = Now();

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

ProcessStats ReadProcessStats() {
  ProcessStats stats;
  stats.start_seconds = kStartSeconds;
  rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) == 0) {
    stats.cpu_seconds = Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  int64_t total_pages = 0;
  int64_t resident_pages = 0;
  if (std::ifstream file("/proc/self/statm"); file >> total_pages >> resident_pages) {
    const int64_t page = sysconf(_SC_PAGESIZE);
    stats.virtual_bytes = total_pages * page;
    stats.resident_bytes = resident_pages * page;
  }
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (!error) stats.open_files = std::distance(begin(files), end(files));
  return stats;
}

void WriteProcessStats(Exposition& out, const ProcessStats& stats) {
  if (stats.cpu_seconds) {
    out.Counter("process_cpu_seconds_total", "CPU time of the process.", *stats.cpu_seconds);
  }
  if (stats.resident_bytes) {
    out.Gauge("process_resident_memory_bytes", "Resident memory, with mapped pages of the model.",
              static_cast<double>(*stats.resident_bytes));
  }
  if (stats.virtual_bytes) {
    out.Gauge("process_virtual_memory_bytes", "Virtual memory.",
              static_cast<double>(*stats.virtual_bytes));
  }
  if (stats.open_files) {
    out.Gauge("process_open_fds", "Open file descriptors.", static_cast<double>(*stats.open_files));
  }
  if (stats.start_seconds) {
    out.Gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.",
              *stats.start_seconds);
  }
}

}  // namespace infer::metrics
