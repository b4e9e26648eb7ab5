// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/e2e/control_group.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string_view>

namespace infer {
namespace {

// The folder of this process's group: its line in /proc/self/cgroup is "0::/group" for version 2
// and "4:memory:/group" for version 1, which wins where both are mounted.
std::string OwnFolder() {
  std::ifstream groups("/proc/self/cgroup");
  std::string found;
  for (std::string line; std::getline(groups, line);) {
    const size_t group = line.find(":/");
    if (group == std::string::npos) continue;
    if (line.find(":memory:") != std::string::npos) {
      return "/sys/fs/cgroup/memory" + line.substr(group + 1);
    }
    if (line.starts_with("0::")) found = "/sys/fs/cgroup" + line.substr(group + 1);
  }
  return found;
}

bool Write(const std::string& path, uint64_t value) {
  if (access(path.c_str(), W_OK) != 0) return false;
  std::ofstream file(path);
  file << value << std::flush;
  return file.good();
}

}  // namespace

ControlGroup::ControlGroup(uint64_t limit_bytes) {
  folder_ = OwnFolder() + "/infer-test-" + std::to_string(getpid());
  std::error_code error;
  if (!std::filesystem::create_directory(folder_, error)) {
    problem_ = "cannot make " + folder_ + ": " + error.message();
    folder_.clear();
    return;
  }
  if (!Write(folder_ + "/memory.max", limit_bytes) &&
      !Write(folder_ + "/memory.limit_in_bytes", limit_bytes)) {
    problem_ = folder_ + " does not limit memory";
  }
}

ControlGroup::~ControlGroup() {
  if (!folder_.empty()) rmdir(folder_.c_str());
}

uint64_t ControlGroup::PeakBytes() const {
  for (const char* name : {"/memory.peak", "/memory.max_usage_in_bytes"}) {
    uint64_t bytes = 0;
    if (std::ifstream(folder_ + name) >> bytes) return bytes;
  }
  return 0;
}

}  // namespace infer
