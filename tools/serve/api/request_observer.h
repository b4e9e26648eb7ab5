// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "runtime/serving/token_request.h"

namespace infer::serve {

// Hears what becomes of one request for the model, which is one prompt, for metrics and logs.
// Called on the runner's thread.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void OnToken(int32_t choice) = 0;
  virtual void OnChoiceEnd(ChoiceEnd end) = 0;
  virtual void OnEnd(const RequestSummary& summary, const absl::Status& status) = 0;
  // The runner has refused the request, or was not asked; nothing else will come.
  virtual void OnRefused() = 0;
};

// Called before the prompts of an HTTP request are submitted. Returns an observer for each.
using NewObservers = std::function<std::vector<std::unique_ptr<RequestObserver>>(
    const std::string& request_id, size_t prompts)>;

}  // namespace infer::serve
