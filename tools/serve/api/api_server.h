// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/api/answer_session.h"
#include "tools/serve/api/request_observer.h"
#include "tools/serve/api/served_model.h"
#include "tools/serve/api/session_list.h"
#include "tools/serve/api/status_json.h"
#include "tools/serve/api/token_runner.h"
#include "tools/serve/api/vector_runner.h"
#include "tools/serve/api/work_queue.h"
#include "tools/serve/http/http.h"

namespace infer::serve {

struct Route;

struct ApiServerOptions {
  const ServedModel* model = nullptr;
  TokenRunner* runner = nullptr;
  VectorRunner* vectors = nullptr;  // of a model that gives vectors and generates nothing
  NewObservers new_observers = {};
  std::vector<RegimeSummary> regimes = {};
  std::string version = {};
  std::function<http::Response()> page = {};       // GET /
  std::function<http::Response()> placement = {};  // GET /placement; made once, takes long
  std::function<http::Response()> metrics = {};    // GET /metrics
  double ping_seconds = 5;          // a stream gets something to read at least this often
  double stall_seconds = 30;        // an engine without a heartbeat for longer is not healthy
  size_t max_jobs = 256;            // requests that wait to be read and rendered, ...
  size_t max_job_bytes = 64 << 20;  // ... and their bodies together
};

// Serves the APIs: routes, JSON in and out, streams.
class ApiServer final : public http::Handler {
 public:
  explicit ApiServer(ApiServerOptions options);

  void Handle(http::Request request, std::shared_ptr<http::Responder> responder) override;
  http::Response Error(int status, std::string_view message) override;
  bool IsPublic(std::string_view method, std::string_view path) const override;
  // Ends the streams that still run, each with its last event.
  void OnDrainEnd() override;

  // Requests for the model are refused from here on.
  void StopAccepting() { is_draining_ = true; }

  // Paths that exist, for the metrics.
  static std::vector<std::string> Routes();

 private:
  friend struct Route;
  using Responder = std::shared_ptr<http::Responder>;

  // Routes that answer at once.
  void Health(const http::Request& request, http::Responder& to);
  void Ready(const http::Request& request, http::Responder& to);
  void Models(const http::Request& request, http::Responder& to);
  void Props(const http::Request& request, http::Responder& to);
  void Live(const http::Request& request, http::Responder& to);
  void Page(const http::Request& request, http::Responder& to);
  void Metrics(const http::Request& request, http::Responder& to);

  // Routes that take time.
  void Placement(http::Request request, Responder to);
  void Text(const Route& route, http::Request request, Responder to);
  void Vectors(const Route& route, http::Request request, Responder to);
  void Generate(const Route& route, http::Request request, Responder to);

  void Work(WorkQueue& queue, size_t bytes, ErrorDialect dialect, Responder to,
            std::function<void()> job);
  void Prefetch(GenerationRequest request, ChoiceAnswer answer, std::string salt);
  std::shared_ptr<AnswerSession> NewSession(const http::Request& request, ErrorDialect dialect,
                                            Responder to);

  const ApiServerOptions options_;
  const std::chrono::steady_clock::time_point start_;
  std::atomic<bool> is_draining_ = false;

  std::unique_ptr<http::Response> placement_;  // of the worker
  SessionList sessions_;
  WorkQueue work_;         // these end first: their jobs use the rest
  WorkQueue vector_work_;  // runs of the model, which would hold up the other
};

}  // namespace infer::serve
