// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_governor.h"

#include <algorithm>
#include <utility>

namespace infer {
namespace {

// Regions with all threads are watched for this long. A busy loop on one of two CPUs preempts two
// threads 260 times a second, two busy loops 520 times; daemons of a quiet machine do so 50 times.
constexpr int64_t kWindowNs = 100'000'000;
constexpr uint64_t kBeginsAt = 12;
constexpr uint64_t kEndsBelow = 8;
// Trying another number of threads takes at most one part in this many of the time.
constexpr int64_t kExploreShare = 20;
// A new measurement counts as one of this many: most regions with all threads are fast even beside
// others, and the few in which one was preempted decide about the mean.
constexpr int kMemory = 60;
// More threads must take less than this share of the time: the measurements are noisy, and what
// they do not gain they take from the others.
constexpr double kWorthMore = 0.9;

}  // namespace

ThreadGovernor::ThreadGovernor(int threads) {
  for (; threads > 1; threads /= 2) candidates_.push_back(threads);
  candidates_.push_back(1);
  Forget();
}

void ThreadGovernor::Forget() {
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
  const auto unknown = std::ranges::find(k.ns, 0.0);
  k.explores = unknown != k.ns.end();
  if (k.explores) {
    k.tried = unknown - k.ns.begin();
    return candidates_[k.tried];
  }
  k.tried = Best(k);
  if (now_ns - k.explored_at_ns > kExploreShare * k.explored_ns) {
    k.explores = true;
    k.up_next = k.tried == 0 || (k.up_next && k.tried + 1 < candidates_.size());
    k.tried = k.up_next ? std::min(k.tried + 1, candidates_.size() - 1) : k.tried - 1;
    k.up_next = !k.up_next;
  }
  return candidates_[k.tried];
}

void ThreadGovernor::Record(int kind, int threads, int64_t began_ns, int64_t ended_ns,
                            uint64_t preemptions) {
  const uint64_t more =
      preemptions - std::exchange(preemptions_, preemptions).value_or(preemptions);
  if (contended_) {
    Kind& k = kinds_[std::clamp(kind, 0, kKinds - 1)];
    if (candidates_[k.tried] == threads) {
      const auto ns = static_cast<double>(std::max<int64_t>(1, ended_ns - began_ns));
      int& measured = k.measured[k.tried];
      measured = std::min(measured + 1, kMemory);
      k.ns[k.tried] += (ns - k.ns[k.tried]) / measured;
      if (k.explores) {
        k.explored_at_ns = ended_ns;
        k.explored_ns = ended_ns - began_ns;
      }
    }
  }
  if (threads != candidates_.front()) return;
  window_ns_ += ended_ns - began_ns;
  window_preemptions_ += more;
  if (window_ns_ < kWindowNs) return;
  // A long region counts for what a window of the usual length would have had.
  const uint64_t count = window_preemptions_ * kWindowNs / window_ns_;
  window_ns_ = 0;
  window_preemptions_ = 0;
  if (contended_ ? count >= kEndsBelow : count < kBeginsAt) return;
  contended_ = !contended_;
  Forget();
}

}  // namespace infer
