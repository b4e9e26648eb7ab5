// SPDX-License-Identifier: Apache-2.0
#include "runtime/thread_governor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace infer {
namespace {

// The share of a CPU for which two threads wait. On a quiet machine it is below a hundredth; a busy
// loop on one of their CPUs makes it a half. With more threads, more of them meet a daemon.
constexpr double kBeginsAt = 0.15;
constexpr double kEndsBelow = 0.05;
constexpr int64_t kWindowNs = 100'000'000;
constexpr int kWindows = 2;  // in a row: one may be that of a program that starts
constexpr int64_t kWatchedNs = 50'000'000;
// Trying another number of threads takes at most one part in this many of the time.
constexpr int64_t kExploreShare = 40;
// A new measurement counts as one of this many: most regions with all threads are fast even beside
// others, and the few in which one was preempted decide about the mean.
constexpr int kMemory = 60;
// A number is tried for a while: other programs take some milliseconds to move to the CPUs that our
// threads have left, or away from those they want again. A region that began before that says
// little, unless it is much longer.
constexpr int64_t kSettlesNs = 5'000'000;
constexpr int64_t kTrialNs = 15'000'000;
constexpr int64_t kLongNs = 10 * kSettlesNs;
// If a number is no slower than this many times the best, one below it may be faster: beside four
// busy loops on 16 CPUs, 16, 15 and 14 threads are all slow, and 12 are not.
constexpr double kAlike = 1.05;
// A number that is slower by this factor than fewer threads explain was disturbed, and says nothing
// about smaller ones. Beside two busy loops, 16 threads on 16 CPUs take 17 ms for a token, 15 take
// 740, because the system leaves one of them on the CPU of a loop, and 14 take 6. Down to half of
// the best number, so that a machine that disturbs all of them is not measured with each.
constexpr double kDisturbed = 1.5;
// More threads must gain at least this share of what they would gain on a quiet machine: the
// measurements are noisy, and what they do not gain they take from the others.
constexpr double kWorthMore = 0.2;

// All threads, one and two fewer, because often one or two CPUs have other work; then ever fewer.
std::vector<int> Candidates(int threads) {
  std::vector<int> candidates;
  const auto add = [&](int count) {
    if (count >= 1 && (candidates.empty() || count < candidates.back())) {
      candidates.push_back(count);
    }
  };
  for (const int fewer : {0, 1, 2}) add(threads - fewer);
  add(threads * 3 / 4);
  for (int count = threads / 2; count >= 1; count /= 2) add(count);
  return candidates;
}

}  // namespace

ThreadGovernor::ThreadGovernor(int threads, DelayNs delay_ns)
    : candidates_(Candidates(threads)),
      tolerance_(std::sqrt(std::max(1.0, threads / 2.0))),
      delay_ns_(std::move(delay_ns)) {
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
  size_t best = kind.ns.size();
  for (size_t i = kind.ns.size(); i-- > 0;) {
    if (kind.measured[i] == 0) continue;
    if (best == kind.ns.size()) best = i;
    const double ideal_gain = 1 - static_cast<double>(candidates_[best]) / candidates_[i];
    if (kind.ns[i] < (1 - kWorthMore * ideal_gain) * kind.ns[best]) best = i;
  }
  return best;
}

int ThreadGovernor::Choose(int kind, int64_t now_ns) {
  if (!contended_) {
    BeginWindow(now_ns);
    return candidates_.front();
  }
  Kind& k = kinds_[std::clamp(kind, 0, kKinds - 1)];
  const bool goes_on = k.explores && (k.tried_ns < kTrialNs || !k.judged);
  const size_t before = k.tried;
  if (!goes_on) Pick(k, now_ns);
  const bool begins = !goes_on && (k.explores || k.tried != before);
  if (begins) {
    k.tried_ns = 0;
    k.judged = false;
  }
  if (k.tried == 0) delay_before_ = delay_ns_();
  return candidates_[k.tried];
}

bool ThreadGovernor::MayBeFaster(const Kind& k, size_t next, size_t best) const {
  const double slower = k.ns[next - 1] / k.ns[best];
  const double explained = static_cast<double>(candidates_[best]) / candidates_[next - 1];
  const bool disturbed =
      slower > kDisturbed * explained && 2 * candidates_[next] >= candidates_[best];
  return slower <= kAlike || disturbed;
}

// Looks only at the neighbours of the best number known: on 16 CPUs one thread takes 16 times as
// long, which nobody needs to measure.
void ThreadGovernor::Pick(Kind& k, int64_t now_ns) const {
  k.explores = k.measured.front() == 0;
  if (k.explores) {
    k.tried = 0;
    return;
  }
  k.tried = Best(k);
  const auto next =
      static_cast<size_t>(std::ranges::find(k.measured, 0) - k.measured.begin());  // never tried
  const bool is_due = now_ns - k.explored_at_ns > kExploreShare * k.explored_ns;
  if (next < candidates_.size() && MayBeFaster(k, next, k.tried)) {
    k.explores = true;
    k.tried = next;
  } else if (is_due && candidates_.size() > 1) {
    k.explores = true;
    const bool has_fewer = k.tried + 1 < candidates_.size();
    const bool fewer = has_fewer && (k.tried == 0 || k.fewer_next);
    k.tried = fewer ? k.tried + 1 : k.tried - 1;
    k.fewer_next = !fewer;
  }
}

void ThreadGovernor::Record(int kind, int threads, int64_t began_ns, int64_t ended_ns) {
  Kind& k = kinds_[std::clamp(kind, 0, kKinds - 1)];
  if (!contended_) {
    WatchQuiet(ended_ns);
    // The region that met the others says how long one takes with all threads.
    if (contended_) Measure(k, began_ns, ended_ns);
    return;
  }
  if (k.tried_ns >= kSettlesNs || ended_ns - began_ns >= kLongNs) {
    Measure(k, began_ns, ended_ns);
    k.judged = true;
  }
  k.tried_ns += ended_ns - began_ns;
  if (k.explores) {
    k.explored_at_ns = ended_ns;
    k.explored_ns = k.tried_ns;
  }
  if (threads == candidates_.front()) WatchContended(began_ns, ended_ns);
}

void ThreadGovernor::Measure(Kind& kind, int64_t began_ns, int64_t ended_ns) {
  const auto ns = static_cast<double>(std::max<int64_t>(1, ended_ns - began_ns));
  int& measured = kind.measured[kind.tried];
  measured = std::min(measured + 1, kMemory);
  kind.ns[kind.tried] += (ns - kind.ns[kind.tried]) / measured;
}

// A window that spans a pause says little. A long region does not count as one: beside others a
// call can take half a second, and a prompt may be a single call.
void ThreadGovernor::BeginWindow(int64_t now_ns) {
  if (window_began_ns_ != 0 && now_ns - region_ended_ns_ <= kWindowNs) return;
  window_began_ns_ = now_ns;
  delay_before_ = delay_ns_();
}

void ThreadGovernor::WatchQuiet(int64_t ended_ns) {
  region_ended_ns_ = ended_ns;
  if (ended_ns - window_began_ns_ < kWindowNs) return;
  const std::optional<int64_t> now = delay_ns_();
  const auto elapsed = static_cast<double>(ended_ns - window_began_ns_);
  window_began_ns_ = ended_ns;
  const std::optional<int64_t> before = std::exchange(delay_before_, now);
  const bool waited =
      now && before && static_cast<double>(*now - *before) >= kBeginsAt * tolerance_ * elapsed;
  windows_ = waited ? windows_ + static_cast<int>(elapsed / kWindowNs) : 0;
  if (windows_ >= kWindows) Change(true);
}

void ThreadGovernor::WatchContended(int64_t began_ns, int64_t ended_ns) {
  const std::optional<int64_t> now = delay_ns_();
  if (!now || !delay_before_) return Change(false);
  watched_ns_ += ended_ns - began_ns;
  watched_delay_ns_ += *now - *delay_before_;
  if (watched_ns_ < kWatchedNs) return;
  const auto share = static_cast<double>(watched_delay_ns_) / static_cast<double>(watched_ns_);
  if (share < kEndsBelow * tolerance_) return Change(false);
  watched_ns_ = 0;
  watched_delay_ns_ = 0;
}

}  // namespace infer
