// SPDX-License-Identifier: Apache-2.0
//
// Temporary files that must not outlive the process, in a form a signal handler can read.
#pragma once

#include <string>

namespace infer {

// Keeps `path` on the list while it lives. The list has a fixed number of places: a file that finds
// none is merely not removed when a second signal ends the process.
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
