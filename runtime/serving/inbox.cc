// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/inbox.h"

#include <algorithm>

#include "ir/base/strings.h"

namespace infer {

absl::Status Inbox::Submit(std::unique_ptr<ActiveRequest> request) {
  const int64_t tokens = std::ssize(request->request().prompt);
  {
    const std::lock_guard lock(mutex_);
    if (!accepts_) {
      return absl::UnavailableError("no more requests are accepted: the runner is stopping");
    }
    // Those for which there is a place already do not count.
    const int64_t places = limits_.requests + std::max<int64_t>(limits_.running - running_, 0);
    if (queued_ >= places || (queued_ > 0 && queued_tokens_ + tokens > limits_.tokens)) {
      ++refused_;
      return absl::ResourceExhaustedError(StrCat("the queue is full: ", queued_, " requests with ",
                                                 queued_tokens_,
                                                 " prompt tokens wait; try again later"));
    }
    ++queued_;
    queued_tokens_ += tokens;
    commands_.submitted.push_back(std::move(request));
  }
  Wake();
  return absl::OkStatus();
}

void Inbox::Cancel(RequestId id) {
  {
    const std::lock_guard lock(mutex_);
    commands_.cancelled.push_back(id);
  }
  Wake();
}

void Inbox::SetPaused(RequestId id, bool paused) {
  {
    const std::lock_guard lock(mutex_);
    commands_.paused.push_back({id, paused});
  }
  Wake();
}

void Inbox::Prefetch(PrefixToPrefetch prefix) {
  {
    const std::lock_guard lock(mutex_);
    if (!accepts_) return;
    std::vector<PrefixToPrefetch>& prefetches = commands_.prefetches;
    if (prefetches.size() >= kMaxPrefetches) prefetches.erase(prefetches.begin());
    prefetches.push_back(std::move(prefix));
  }
  Wake();
}

void Inbox::StopAccepting() {
  const std::lock_guard lock(mutex_);
  accepts_ = false;
}

void Inbox::Stop() {
  {
    const std::lock_guard lock(mutex_);
    accepts_ = false;
    commands_.stop = true;
  }
  Wake();
}

void Inbox::Wake() { changed_.notify_one(); }

Inbox::Commands Inbox::Take(bool wait) {
  std::unique_lock lock(mutex_);
  if (wait) changed_.wait(lock, [this] { return !commands_.empty(); });
  return std::exchange(commands_, {});
}

void Inbox::Left(int64_t tokens) {
  const std::lock_guard lock(mutex_);
  --queued_;
  queued_tokens_ -= tokens;
}

void Inbox::SetRunning(int64_t requests) {
  const std::lock_guard lock(mutex_);
  running_ = requests;
}

int64_t Inbox::queued() const {
  const std::lock_guard lock(mutex_);
  return queued_;
}

int64_t Inbox::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

}  // namespace infer
