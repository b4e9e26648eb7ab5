// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/serve/api/answer_session.h"

namespace infer::serve {

// The sessions that live; keeps their streams alive on a thread of its own. Holds none of them. May
// be used from any thread.
class SessionList {
 public:
  // A stream gets something to read at least every `ping_seconds`.
  explicit SessionList(double ping_seconds);
  ~SessionList();
  SessionList(const SessionList&) = delete;
  SessionList& operator=(const SessionList&) = delete;

  void Add(const std::shared_ptr<AnswerSession>& session);
  std::vector<std::shared_ptr<AnswerSession>> All() const;

 private:
  void KeepAlive(AnswerSession::Clock::duration quiet);

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  std::vector<std::weak_ptr<AnswerSession>> sessions_;
  std::thread thread_;
};

}  // namespace infer::serve
