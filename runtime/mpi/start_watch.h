// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "absl/status/status.h"

namespace infer {

// Watches this process while it waits for the other ranks to start, which MPI does without end. If
// one of them dies meanwhile, the launcher asks the others to end.
class StartWatch {
 public:
  struct Options {
    int rank = 0;
    int ranks = 1;
    std::string folder;                       // that all ranks share; may be empty
    const std::atomic<bool>* stop = nullptr;  // set when the process is asked to end
    // Called by another thread if the process is asked to end; must not return. The error says
    // which rank is missing. `report` tells whether this rank has to report it: it is the first one
    // that is there, and rank 0 where nobody can know which are.
    std::function<void(const absl::Status& error, bool report)> end;
  };

  explicit StartWatch(Options options);
  ~StartWatch();
  StartWatch(const StartWatch&) = delete;
  StartWatch& operator=(const StartWatch&) = delete;

 private:
  void Run();
  std::string FileOf(int rank) const;
  // Whether the process that has written the rank's file is there.
  bool IsThere(int rank) const;

  const Options options_;
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace infer
