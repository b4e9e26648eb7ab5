// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace infer {

// A control group below this process's own that limits memory, of version 1 or 2 of the interface.
// Removed with the object, so its processes must have ended.
class ControlGroup {
 public:
  explicit ControlGroup(uint64_t limit_bytes);
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  // Why there is no group; empty if there is.
  const std::string& problem() const { return problem_; }
  // A file with a process id written to it moves that process into the group.
  std::string ProcsFile() const { return folder_ + "/cgroup.procs"; }
  // The most memory that the group has had; 0 if the system does not say.
  uint64_t PeakBytes() const;

 private:
  std::string folder_;
  std::string problem_;
};

}  // namespace infer
