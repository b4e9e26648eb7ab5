// SPDX-License-Identifier: Apache-2.0
//
// Joins the API and HTTP layers with the metrics and the access log.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/serve/api/request_observer.h"
#include "tools/serve/api/token_runner.h"
#include "tools/serve/http/server_options.h"
#include "tools/serve/metrics/access_log.h"
#include "tools/serve/metrics/server_metrics.h"

namespace infer::serve {

class ServeMetrics {
 public:
  // `log` may be null.
  ServeMetrics(std::string model, std::string version, std::unique_ptr<metrics::AccessLog> log);

  std::vector<std::unique_ptr<RequestObserver>> NewObservers(const std::string& request_id,
                                                             size_t prompts);
  void OnAccess(const http::AccessRecord& record);
  void ReopenLog();
  std::string Page(const TokenRunner& runner, const http::ServerCounts& counts);

 private:
  class Observer;

  const std::string model_;
  metrics::ServerMetrics metrics_;
  std::unique_ptr<metrics::AccessLog> log_;
};

}  // namespace infer::serve
