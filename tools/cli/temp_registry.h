// SPDX-License-Identifier: Apache-2.0
//
// Lists temporary files that must not outlive the process, in a form that a signal handler can
// read.
#pragma once

#include <string>

namespace infer {

// Keeps `path` on the list during its lifetime. The list has a fixed number of entries: when it is
// full, the file is merely not removed when a second signal ends the process.
class TempRegistration {
 public:
  explicit TempRegistration(const std::string& path);
  ~TempRegistration();
  TempRegistration(const TempRegistration&) = delete;
  TempRegistration& operator=(const TempRegistration&) = delete;

 private:
  int place_ = -1;
};

// Unlinks every file on the list. Async-signal-safe.
void RemoveRegisteredTemps();

}  // namespace infer
