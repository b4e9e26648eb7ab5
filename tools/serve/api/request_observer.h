// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "runtime/serving/token_request.h"

namespace infer::serve {

// Hears what becomes of one request for the model, for metrics and logs. Called on the runner's
// thread.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  virtual void OnToken(int32_t choice) = 0;
  virtual void OnChoiceEnd(ChoiceEnd end) = 0;
  virtual void OnEnd(const RequestSummary& summary, const absl::Status& status) = 0;
  // The runner has refused the request; nothing else will come.
  virtual void OnRefused() = 0;
};

// Called before a request is submitted, with the id of its HTTP request. Returns null if nobody
// wants to know.
using NewObserver = std::function<std::unique_ptr<RequestObserver>(const std::string& request_id)>;

}  // namespace infer::serve
