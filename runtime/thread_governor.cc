// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_governor.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

// The share of a CPU for which our threads wait. On a quiet machine it is below a hundredth; a busy
// loop on one of our CPUs makes it a half.
constexpr double kBeginsAt = 0.15;
constexpr double kEndsBelow = 0.05;
constexpr int64_t kWindowNs = 100'000'000;
constexpr int kWindows = 2;  // in a row: one may be that of a program that starts
constexpr int64_t kWatchedNs = 50'000'000;
// Trying another number of threads takes at most one part in this many of the time.
constexpr int64_t kExploreShare = 20;
// A new measurement counts as one of this many: most regions with all threads are fast even beside
// others, and the few in which one was preempted decide about the mean.
constexpr int kMemory = 60;
// More threads must take less than this share of the time: the measurements are noisy, and what
// they do not gain they take from the others.
constexpr double kWorthMore = 0.9;

}  // namespace

ThreadGovernor::ThreadGovernor(int threads, DelayNs delay_ns) : delay_ns_(std::move(delay_ns)) {
  for (; threads > 1; threads /= 2) candidates_.push_back(threads);
  candidates_.push_back(1);
  Change(false);
}

void ThreadGovernor::Change(bool contended) {
  contended_ = contended;
  window_began_ns_ = 0;
  windows_ = 0;
  watched_ns_ = 0;
  watched_delay_ns_ = 0;
  for (Kind& kind : kinds_) {
    kind = {};
    kind.ns.assign(candidates_.size(), 0);
    kind.measured.assign(candidates_.size(), 0);
  }
}

size_t ThreadGovernor::Best(const Kind& kind) const {
  size_t best = kind.ns.size() - 1;
  for (size_t i = best; i-- > 0;) {
    if (kind.ns[i] < kWorthMore * kind.ns[best]) best = i;
  }
  return best;
}

int ThreadGovernor::Choose(int kind, int64_t now_ns) {
  if (!contended_) return candidates_.front();
  Kind& k = kinds_[std::clamp(kind, 0, kKinds - 1)];
  const auto unknown = std::ranges::find(k.measured, 0);
  k.explores = unknown != k.measured.end();
  if (k.explores) {
    k.tried = unknown - k.measured.begin();
  } else {
    k.tried = Best(k);
    if (now_ns - k.explored_at_ns > kExploreShare * k.explored_ns) {
      k.explores = true;
      k.fewer_next = k.tried == 0 || (k.fewer_next && k.tried + 1 < candidates_.size());
      k.tried = k.fewer_next ? std::min(k.tried + 1, candidates_.size() - 1) : k.tried - 1;
      k.fewer_next = !k.fewer_next;
    }
  }
  if (k.tried == 0) delay_before_ = delay_ns_();
  return candidates_[k.tried];
}

void ThreadGovernor::Record(int kind, int threads, int64_t began_ns, int64_t ended_ns) {
  if (!contended_) return WatchQuiet(began_ns, ended_ns);
  Kind& k = kinds_[std::clamp(kind, 0, kKinds - 1)];
  const auto ns = static_cast<double>(std::max<int64_t>(1, ended_ns - began_ns));
  int& measured = k.measured[k.tried];
  measured = std::min(measured + 1, kMemory);
  k.ns[k.tried] += (ns - k.ns[k.tried]) / measured;
  if (k.explores) {
    k.explored_at_ns = ended_ns;
    k.explored_ns = ended_ns - began_ns;
  }
  if (threads == candidates_.front()) WatchContended(began_ns, ended_ns);
}

void ThreadGovernor::WatchQuiet(int64_t began_ns, int64_t ended_ns) {
  // A window that spans a pause says little.
  if (window_began_ns_ == 0 || ended_ns - window_began_ns_ > 4 * kWindowNs) {
    window_began_ns_ = began_ns;
    delay_before_ = delay_ns_();
    return;
  }
  if (ended_ns - window_began_ns_ < kWindowNs) return;
  const std::optional<int64_t> now = delay_ns_();
  const auto elapsed = static_cast<double>(ended_ns - window_began_ns_);
  window_began_ns_ = ended_ns;
  const std::optional<int64_t> before = std::exchange(delay_before_, now);
  const bool waited = now && before && static_cast<double>(*now - *before) >= kBeginsAt * elapsed;
  windows_ = waited ? windows_ + 1 : 0;
  if (windows_ >= kWindows) Change(true);
}

void ThreadGovernor::WatchContended(int64_t began_ns, int64_t ended_ns) {
  const std::optional<int64_t> now = delay_ns_();
  if (!now || !delay_before_) return Change(false);
  watched_ns_ += ended_ns - began_ns;
  watched_delay_ns_ += *now - *delay_before_;
  if (watched_ns_ < kWatchedNs) return;
  const auto share = static_cast<double>(watched_delay_ns_) / static_cast<double>(watched_ns_);
  if (share < kEndsBelow) return Change(false);
  watched_ns_ = 0;
  watched_delay_ns_ = 0;
}

}  // namespace infer
