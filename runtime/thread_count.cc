// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_count.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

std::optional<std::string> FirstLine(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<double> Number(const std::string& text) {
  std::istringstream stream(text);
  double value = 0;
  if (!(stream >> value)) return std::nullopt;
  return value;
}

std::optional<double> Ratio(std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

// "max 100000" or "250000 100000".
std::optional<double> QuotaV2(const std::string& folder) {
  std::optional<std::string> line = FirstLine(folder + "/cpu.max");
  if (!line) return std::nullopt;
  std::istringstream stream(*line);
  std::string quota, period;
  stream >> quota >> period;
  return Ratio(Number(quota), Number(period));
}

// -1 for no limit.
std::optional<double> QuotaV1(const std::string& folder) {
  return Ratio(Number(FirstLine(folder + "/cpu.cfs_quota_us").value_or("")),
               Number(FirstLine(folder + "/cpu.cfs_period_us").value_or("")));
}

// Returns the smallest limit from the group up to the root of the hierarchy, since each of them
// applies. In a container the group's path is often that of the host, which does not exist here;
// the root is then the container's own group.
template <class Read>
std::optional<double> SmallestOnTheWay(const std::string& mount, std::string group, Read read) {
  std::optional<double> least;
  while (true) {
    std::optional<double> quota = read(mount + group);
    if (quota && (!least || *quota < *least)) least = quota;
    const size_t parent = group.rfind('/');
    if (parent == std::string::npos || group == "/") return least;
    group.resize(parent);
  }
}

// Lines of /proc/self/cgroup: "0::/group" for version 2, "4:cpu,cpuacct:/group" for version 1.
std::optional<double> ReadQuota(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  std::optional<double> least;
  auto consider = [&](std::optional<double> quota) {
    if (quota && (!least || *quota < *least)) least = quota;
  };
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    const std::string cgroup = root + "/sys/fs/cgroup";
    if (controllers.empty()) {
      consider(SmallestOnTheWay(cgroup, group, QuotaV2));
      consider(SmallestOnTheWay(cgroup + "/unified", group, QuotaV2));
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      for (const std::string& mount : {cgroup + "/cpu,cpuacct", cgroup + "/cpu"}) {
        consider(SmallestOnTheWay(mount, group, QuotaV1));
      }
    }
  }
  return least;
}

std::vector<int> UsableCpus() {
  std::vector<int> cpus;
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
    }
  }
#endif
  const int fallback = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  for (int cpu = 0; cpus.empty() && cpu < fallback; ++cpu) cpus.push_back(cpu);
  return cpus;
}

// Counts the usable CPUs of the highest class, where the system distinguishes classes: by relative
// capacity on ARM, by core type or else maximum frequency on x86.
std::optional<int> CountFastCores(const std::string& root, const std::vector<int>& cpus) {
#if defined(__APPLE__)
  int count = 0;
  size_t bytes = sizeof(count);
  if (sysctlbyname("hw.perflevel0.physicalcpu", &count, &bytes, nullptr, 0) == 0 && count > 0) {
    return count;
  }
#endif
  for (const char* file : {"cpu_capacity", "cpufreq/cpuinfo_max_freq"}) {
    std::vector<double> speeds;
    for (int cpu : cpus) {
      const std::string path = StrCat(root, "/sys/devices/system/cpu/cpu", cpu, "/", file);
      std::optional<double> speed = Number(FirstLine(path).value_or(""));
      if (speed) speeds.push_back(*speed);
    }
    if (speeds.size() != cpus.size() || speeds.empty()) continue;
    // Cores of one kind differ by a few percent in maximum frequency; kinds differ by much more.
    const double fast = 0.85 * *std::max_element(speeds.begin(), speeds.end());
    const auto count =
        std::count_if(speeds.begin(), speeds.end(), [&](double speed) { return speed >= fast; });
    if (static_cast<size_t>(count) == cpus.size()) return std::nullopt;
    return static_cast<int>(count);
  }
  return std::nullopt;
}

}  // namespace

int ThreadLimits::UsableCpus() const {
  return std::max(quota ? std::min(affinity, static_cast<int>(std::floor(*quota))) : affinity, 1);
}

int ThreadLimits::Count() const { return std::min(UsableCpus(), fast_cores.value_or(affinity)); }

std::string ThreadLimits::Derivation() const {
  std::string text = StrCat(Count(), " = min(affinity ", affinity);
  if (fast_cores) StrAppend(&text, ", fast cores ", *fast_cores);
  if (quota) StrAppend(&text, absl::StrFormat(", cgroup quota %.2g", *quota));
  return text + ")";
}

ThreadLimits ReadThreadLimits(const std::string& root) {
  const std::vector<int> cpus = UsableCpus();
  return {.affinity = static_cast<int>(cpus.size()),
          .fast_cores = CountFastCores(root, cpus),
          .quota = ReadQuota(root)};
}

}  // namespace infer
