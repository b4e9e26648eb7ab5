// SPDX-License-Identifier: Apache-2.0
//
// Probabilities after each token of windows of a text: of a model, or as a file holds them.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "runtime/session.h"
#include "tools/eval/log_prob_file.h"

namespace infer {

// Writes ln of softmax(logits) to `out`, which may be `logits`.
void LogSoftmax(std::span<const float> logits, std::span<float> out);

class LogProbSource {
 public:
  virtual ~LogProbSource() = default;
  // Continues a window with `tokens`, which begin at `first`; 0 begins a new window.
  virtual absl::Status Append(int64_t window, int64_t first, std::span<const int32_t> tokens) = 0;
  // Writes ln p of the whole vocabulary after token `token` of the window, one of those just
  // appended and not before the second half.
  virtual void Row(int64_t token, std::span<float> out) = 0;
};

class SessionLogProbs : public LogProbSource {
 public:
  SessionLogProbs(Session& session, const std::atomic<bool>* stop)
      : session_(session), stop_(stop) {}
  absl::Status Append(int64_t window, int64_t first, std::span<const int32_t> tokens) override;
  void Row(int64_t token, std::span<float> out) override;

 private:
  Session& session_;
  const std::atomic<bool>* stop_;
  int64_t first_ = 0;
};

class FileLogProbs : public LogProbSource {
 public:
  explicit FileLogProbs(const LogProbFile& file) : file_(file) {}
  absl::Status Append(int64_t window, int64_t first, std::span<const int32_t> tokens) override;
  void Row(int64_t token, std::span<float> out) override { file_.ReadRow(window_, token, out); }

 private:
  const LogProbFile& file_;
  int64_t window_ = 0;
};

}  // namespace infer
