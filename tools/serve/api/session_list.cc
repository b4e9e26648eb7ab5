// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/session_list.h"

#include <chrono>
#include <utility>

namespace infer::serve {

SessionList::SessionList(double ping_seconds)
    : thread_([this, ping_seconds] {
        KeepAlive(std::chrono::duration_cast<AnswerSession::Clock::duration>(
            std::chrono::duration<double>(ping_seconds)));
      }) {}

SessionList::~SessionList() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void SessionList::Add(const std::shared_ptr<AnswerSession>& session) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(sessions_, [](const auto& weak) { return weak.expired(); });
  sessions_.push_back(session);
}

std::vector<std::shared_ptr<AnswerSession>> SessionList::All() const {
  std::vector<std::shared_ptr<AnswerSession>> all;
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& weak : sessions_) {
    if (auto session = weak.lock()) all.push_back(std::move(session));
  }
  return all;
}

void SessionList::KeepAlive(AnswerSession::Clock::duration quiet) {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!wake_.wait_for(lock, quiet / 4, [&] { return stop_; })) {
    lock.unlock();
    for (const auto& session : All()) session->KeepAlive(AnswerSession::Clock::now(), quiet);
    lock.lock();
  }
}

}  // namespace infer::serve
