// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/serve/metrics/access_entry.h"
#include "tools/serve/metrics/log_file.h"

namespace infer::metrics {

struct AccessLogOptions {
  std::string path = "-";   // "-" is stderr
  size_t max_lines = 8192;  // waiting to be written; more are dropped
  size_t max_open = 16384;  // requests of which a part is missing
  // Called on the writer's thread when the file cannot be reopened.
  std::function<void(const std::string&)> warn = {};
};

// Writes a line for each HTTP request. A request that runs the model ends in the HTTP layer and,
// once for each of its prompts, in the runner, in any order; its line is written when all parts are
// there. Lines are formatted and written on a thread of its own, so that no caller waits for a disk
// or a pipe.
class AccessLog {
 public:
  static absl::StatusOr<std::unique_ptr<AccessLog>> Open(const AccessLogOptions& options);
  // Writes what waits, for at most a second if the file takes nothing.
  ~AccessLog();

  // Says, before the first prompt of a request is submitted, that as many model parts will come;
  // Unexpect that one of them will not.
  void Expect(const std::string& request_id, int prompts = 1);
  void Unexpect(const std::string& request_id);
  void Add(HttpAccess http);
  void Add(const std::string& request_id, const ModelAccess& model);

  // Opens the path again, after it was renamed. For a handler of SIGHUP outside signal context.
  void Reopen();
  int64_t dropped_lines() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    std::optional<HttpAccess> http;
    std::optional<ModelAccess> model;
    int prompts_left = 0;
  };

  AccessLog(const AccessLogOptions& options, LogFile file);
  // With mutex_ held.
  void Queue(Entry entry);
  void PromptEnded(const std::string& request_id, const ModelAccess* model);
  void Run();
  void WriteAll(std::deque<Entry> entries);

  const AccessLogOptions options_;
  LogFile file_;  // of the writer's thread
  std::atomic<int64_t> dropped_ = 0;
  std::atomic<bool> stop_ = false;

  std::mutex mutex_;  // held for the time of moving an entry
  std::condition_variable wake_;
  std::unordered_map<std::string, Entry> open_;  // by request id
  std::deque<Entry> queue_;
  bool reopen_ = false;
  std::thread writer_;
};

}  // namespace infer::metrics
