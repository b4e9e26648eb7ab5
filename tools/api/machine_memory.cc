// SPDX-License-Identifier: Apache-2.0
#include "tools/api/machine_memory.h"

#include <fstream>
#include <limits>
#include <sstream>

#if defined(__APPLE__)
#include <sys/sysctl.h>
#endif

#include "absl/strings/numbers.h"

namespace infer {
namespace {

// Version 1 stands for "no limit" with the largest multiple of a page.
constexpr uint64_t kNoLimit = std::numeric_limits<int64_t>::max() / 2;

// Reads a file with one number; "max" and the like give nullopt.
std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  std::string word;
  if (!(file >> word)) return std::nullopt;
  uint64_t number = 0;
  if (!absl::SimpleAtoi(word, &number) || number >= kNoLimit) return std::nullopt;
  return number;
}

void KeepSmaller(std::optional<uint64_t> limit, std::optional<uint64_t>* least) {
  if (limit && (!*least || *limit < **least)) *least = limit;
}

// The limit of each group on the path to the root of the hierarchy applies.
void WalkUp(const std::string& mount, std::string group, const char* file,
            std::optional<uint64_t>* least) {
  while (true) {
    KeepSmaller(NumberIn(mount + group + "/" + file), least);
    const size_t parent = group.rfind('/');
    if (parent == std::string::npos || group == "/") return;
    group.resize(parent);
  }
}

// Lines of /proc/self/cgroup: "0::/group" for version 2, "4:memory:/group" for version 1.
std::optional<uint64_t> ReadLimit(const std::string& root) {
  std::ifstream groups(root + "/proc/self/cgroup");
  const std::string mount = root + "/sys/fs/cgroup";
  std::optional<uint64_t> least;
  for (std::string line; std::getline(groups, line);) {
    const size_t first = line.find(':');
    const size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty()) {
      WalkUp(mount, group, "memory.max", &least);
    } else if (controllers == "memory") {
      WalkUp(mount + "/memory", group, "memory.limit_in_bytes", &least);
    }
  }
  return least;
}

// Lines of /proc/meminfo: "MemTotal:       32614012 kB".
void ReadMeminfo(const std::string& root, MachineMemory* memory) {
  std::ifstream file(root + "/proc/meminfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    uint64_t kibibytes = 0;
    if (!(words >> name >> kibibytes)) continue;
    if (name == "MemTotal:") memory->total_bytes = kibibytes << 10;
    if (name == "MemAvailable:") memory->available_bytes = kibibytes << 10;
  }
}

// The choice in brackets: "always [madvise] never".
std::string ChosenWord(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  const size_t begin = text.find('['), end = text.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return {};
  return text.substr(begin + 1, end - begin - 1);
}

}  // namespace

MachineMemory ReadMachineMemory(const std::string& root) {
  MachineMemory memory;
#if defined(__APPLE__)
  uint64_t bytes = 0;
  size_t size = sizeof(bytes);
  if (sysctlbyname("hw.memsize", &bytes, &size, nullptr, 0) == 0) memory.total_bytes = bytes;
#endif
  ReadMeminfo(root, &memory);
  memory.limit_bytes = ReadLimit(root);
  const std::string huge = root + "/sys/kernel/mm/transparent_hugepage";
  memory.huge_page_bytes = NumberIn(huge + "/hpage_pmd_size");
  memory.huge_pages = ChosenWord(huge + "/enabled");
  return memory;
}

}  // namespace infer
