// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/metrics/access_log.h"

#include <utility>

#include "ir/base/status_macros.h"

namespace infer::metrics {

absl::StatusOr<std::unique_ptr<AccessLog>> AccessLog::Open(const AccessLogOptions& options) {
  ASSIGN_OR_RETURN(LogFile file, LogFile::Open(options.path));
  return std::unique_ptr<AccessLog>(new AccessLog(options, std::move(file)));
}

AccessLog::AccessLog(const AccessLogOptions& options, LogFile file)
    : options_(options), file_(std::move(file)), writer_([this] { Run(); }) {}

AccessLog::~AccessLog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    for (auto& [id, entry] : halves_) {
      if (entry.http) Queue(std::move(entry));
    }
  }
  wake_.notify_one();
  writer_.join();
}

void AccessLog::Expect(const std::string& request_id) {
  const std::lock_guard lock(mutex_);
  if (halves_.size() < options_.max_halves) halves_.try_emplace(request_id);
}

void AccessLog::Unexpect(const std::string& request_id) {
  const std::lock_guard lock(mutex_);
  const auto it = halves_.find(request_id);
  if (it == halves_.end()) return;
  if (it->second.http) Queue(std::move(it->second));
  halves_.erase(it);
}

void AccessLog::Add(HttpAccess http) {
  const std::lock_guard lock(mutex_);
  const auto it = halves_.find(http.request_id);
  if (it == halves_.end()) return Queue({.http = std::move(http), .model = {}});
  it->second.http = std::move(http);
  if (!it->second.model) return;
  Queue(std::move(it->second));
  halves_.erase(it);
}

void AccessLog::Add(const std::string& request_id, ModelAccess model) {
  const std::lock_guard lock(mutex_);
  const auto it = halves_.find(request_id);
  if (it == halves_.end()) return;  // there were too many; its line has been written without this
  it->second.model = std::move(model);
  if (!it->second.http) return;
  Queue(std::move(it->second));
  halves_.erase(it);
}

void AccessLog::Reopen() {
  {
    const std::lock_guard lock(mutex_);
    reopen_ = true;
  }
  wake_.notify_one();
}

void AccessLog::Queue(Entry entry) {
  if (queue_.size() >= options_.max_lines) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  queue_.push_back(std::move(entry));
  wake_.notify_one();
}

void AccessLog::Run() {
  while (true) {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return stop_ || reopen_ || !queue_.empty(); });
    std::deque<Entry> entries = std::exchange(queue_, {});
    const bool reopen = std::exchange(reopen_, false);
    const bool last = stop_ && entries.empty();
    lock.unlock();
    WriteAll(std::move(entries));
    if (reopen) {
      const absl::Status status = file_.Reopen();
      if (!status.ok() && options_.warn) options_.warn(std::string(status.message()));
    }
    if (last) return;
  }
}

void AccessLog::WriteAll(std::deque<Entry> entries) {
  for (const Entry& entry : entries) {
    if (!file_.Write(AccessLine(*entry.http, entry.model), stop_)) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
    }
  }
}

}  // namespace infer::metrics
