// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <vector>

#include "tools/serve/api/token_runner.h"

namespace infer::serve {

// The runner's requests that belong to one answer: they are paused and cancelled together, those
// that are submitted later too. May be used from any thread.
class RequestGroup {
 public:
  explicit RequestGroup(TokenRunner* runner) : runner_(runner) {}

  void Add(RequestId id);
  void SetPaused(bool is_paused);
  void CancelAll();

 private:
  TokenRunner* const runner_;

  std::mutex mutex_;  // held while the runner is told, so that it hears things in their order
  std::vector<RequestId> ids_;
  bool is_paused_ = false;
  bool is_cancelled_ = false;
};

}  // namespace infer::serve
