// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/serve_metrics.h"

#include <utility>

#include "ir/base/strings.h"
#include "tools/serve/api/api_server.h"
#include "tools/serve/metrics/request_timer.h"

namespace infer::serve {

// Measures one prompt, and gives the access log what the runner knows of it.
class ServeMetrics::Observer final : public RequestObserver {
 public:
  Observer(ServeMetrics* owner, std::string request_id)
      : owner_(owner),
        request_id_(std::move(request_id)),
        timer_(&owner->metrics_, std::chrono::steady_clock::now()) {}

  void OnToken(int32_t choice) override { timer_.OnToken(choice); }
  void OnChoiceEnd(ChoiceEnd end) override {
    end_ = end;
    timer_.OnChoiceEnd(end);
  }
  void OnEnd(const RequestSummary& summary, const absl::Status& status) override {
    timer_.OnEnd(summary, status);
    if (owner_->log_ == nullptr) return;
    metrics::ModelAccess access;
    access.model = owner_->model_;
    access.summary = summary;
    access.has_ended_well = status.ok();
    access.end_reason = status.ok() || absl::IsCancelled(status)
                            ? std::string(Name(end_))
                            : StrCat("error: ", ToStd(status.message()));
    owner_->log_->Add(request_id_, access);
  }
  void OnRefused() override {
    if (owner_->log_ != nullptr) owner_->log_->Unexpect(request_id_);
  }

 private:
  ServeMetrics* const owner_;
  const std::string request_id_;
  metrics::RequestTimer timer_;
  ChoiceEnd end_ = ChoiceEnd::kCancelled;
};

ServeMetrics::ServeMetrics(std::string model, std::string version,
                           std::unique_ptr<metrics::AccessLog> log)
    : model_(model),
      metrics_(std::move(model), std::move(version), ApiServer::Routes()),
      log_(std::move(log)) {}

std::vector<std::unique_ptr<RequestObserver>> ServeMetrics::NewObservers(
    const std::string& request_id, size_t prompts) {
  if (log_ != nullptr) log_->Expect(request_id, static_cast<int>(prompts));
  std::vector<std::unique_ptr<RequestObserver>> observers;
  for (size_t i = 0; i < prompts; ++i) {
    observers.push_back(std::make_unique<Observer>(this, request_id));
  }
  return observers;
}

void ServeMetrics::OnAccess(const http::AccessRecord& record) {
  metrics_.RecordHttp(record.path, record.status, record.bytes);
  if (log_ == nullptr) return;
  metrics::HttpAccess access;
  access.request_id = record.id;
  const auto duration = std::chrono::duration<double, std::milli>(record.ms);
  access.time = std::chrono::system_clock::now() -
                std::chrono::duration_cast<std::chrono::system_clock::duration>(duration);
  access.method = record.method;
  access.path = record.path;
  access.status = record.status;
  access.peer = record.peer;
  access.key_name = record.key_name;
  access.sent_bytes = static_cast<int64_t>(record.bytes);
  access.duration_ms = record.ms;
  access.is_cut = !record.is_complete;
  log_->Add(std::move(access));
}

void ServeMetrics::ReopenLog() {
  if (log_ != nullptr) log_->Reopen();
}

std::string ServeMetrics::Page(const TokenRunner& runner, const http::ServerCounts& counts) {
  metrics_.AddSteps(runner.steps(metrics_.next_step()));
  metrics::ServerGauges gauges;
  gauges.heartbeat_age_seconds = runner.heartbeat_age_ms() / 1000;
  gauges.open_connections = counts.open_connections;
  gauges.accepted_connections = counts.accepted_connections;
  gauges.refused_connections = counts.refused_connections;
  gauges.accept_failures = counts.accept_failures;
  gauges.unauthorized_requests = counts.unauthorized_requests;
  gauges.read_timeouts = counts.read_timeouts;
  gauges.write_timeouts = counts.write_timeouts;
  gauges.lost_clients = counts.lost_clients;
  if (log_ != nullptr) gauges.dropped_log_lines = log_->dropped_lines();
  return metrics_.Render(runner.state(), gauges);
}

}  // namespace infer::serve
