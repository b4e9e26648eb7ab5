// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

namespace infer::serve {

// Handles SIGHUP during its lifetime: a request to read files again. Only one may exist at a time.
class HangUp {
 public:
  HangUp();
  ~HangUp();
  HangUp(const HangUp&) = delete;
  HangUp& operator=(const HangUp&) = delete;

  // Returns whether the signal has arrived since the last call.
  bool Take();

 private:
  struct sigaction former_;
};

}  // namespace infer::serve
