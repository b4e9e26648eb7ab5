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
    for (auto& [id, entry] : open_) {
      if (entry.http) Queue(std::move(entry));
    }
  }
  wake_.notify_one();
  writer_.join();
}

void AccessLog::Expect(const std::string& request_id, int prompts) {
  const std::lock_guard lock(mutex_);
  if (open_.size() < options_.max_open) open_[request_id].prompts_left = prompts;
}

void AccessLog::Unexpect(const std::string& request_id) {
  const std::lock_guard lock(mutex_);
  PromptEnded(request_id, nullptr);
}

void AccessLog::Add(HttpAccess http) {
  const std::lock_guard lock(mutex_);
  const auto it = open_.find(http.request_id);
  // Clients may give two requests the same id.
  if (it == open_.end() || it->second.http) return Queue({.http = std::move(http), .model = {}});
  it->second.http = std::move(http);
  if (it->second.prompts_left > 0) return;
  Queue(std::move(it->second));
  open_.erase(it);
}

void AccessLog::Add(const std::string& request_id, const ModelAccess& model) {
  const std::lock_guard lock(mutex_);
  PromptEnded(request_id, &model);
}

void AccessLog::PromptEnded(const std::string& request_id, const ModelAccess* model) {
  const auto it = open_.find(request_id);
  if (it == open_.end()) return;  // there were too many; its line has been written without this
  Entry& entry = it->second;
  --entry.prompts_left;
  if (model != nullptr && entry.model) {
    entry.model->Add(*model);
  } else if (model != nullptr) {
    entry.model = *model;
  }
  if (entry.prompts_left > 0 || !entry.http) return;
  Queue(std::move(entry));
  open_.erase(it);
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
