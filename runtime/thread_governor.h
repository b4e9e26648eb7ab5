// SPDX-License-Identifier: Apache-2.0
//
// Decides how many threads of a team take part in the next region. On a quiet machine that is all
// of them. Where other programs want the same CPUs, a thread that the system takes off its CPU
// keeps all others waiting at the next barrier, and fewer threads are often faster: which number
// is, is measured.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace infer {

class ThreadGovernor {
 public:
  // `delay_ns` tells for how long our threads have waited for a CPU so far, or nothing if the
  // system does not say; then all threads always take part.
  using DelayNs = std::function<std::optional<int64_t>()>;
  ThreadGovernor(int threads, DelayNs delay_ns);

  // Returns the number of threads for a region that begins at `now_ns`. Regions of one kind take
  // about the same time.
  int Choose(int kind, int64_t now_ns);

  // Called after each region.
  void Record(int kind, int threads, int64_t began_ns, int64_t ended_ns);

  // Whether others want our CPUs: threads that could run waited for longer than they ever do on a
  // quiet machine.
  bool contended() const { return contended_; }

  static constexpr int kKinds = 24;

 private:
  // What is known about the regions of one kind.
  struct Kind {
    std::vector<double> ns;     // of each candidate; 0: not measured
    std::vector<int> measured;  // how often, up to a limit
    size_t tried = 0;           // the candidate chosen last
    int64_t tried_ns = 0;       // for how long since it was another one
    bool judged = false;        // whether a region has been measured since
    bool explores = false;
    bool fewer_next = false;  // which neighbour of the best one to try next
    int64_t explored_at_ns = 0;
    int64_t explored_ns = 0;  // how long that took
  };

  size_t Best(const Kind& kind) const;
  // Whether candidate `next`, which was never tried, may be faster than the best one known.
  bool MayBeFaster(const Kind& kind, size_t next, size_t best) const;
  void Pick(Kind& k, int64_t now_ns) const;
  void Change(bool contended);
  void Measure(Kind& kind, int64_t began_ns, int64_t ended_ns);
  // Watch for the others to come, and to go.
  void BeginWindow(int64_t now_ns);
  void WatchQuiet(int64_t ended_ns);
  void WatchContended(int64_t began_ns, int64_t ended_ns);

  const std::vector<int> candidates_;  // numbers of threads, falling
  const double tolerance_;             // times the waiting of two threads
  std::array<Kind, kKinds> kinds_;
  bool contended_ = false;
  const DelayNs delay_ns_;
  std::optional<int64_t> delay_before_;  // at the begin of what is watched
  int64_t window_began_ns_ = 0;
  int64_t region_ended_ns_ = 0;  // the last one
  int windows_ = 0;              // so many in a row showed waiting
  // While contended: of regions with all threads.
  int64_t watched_ns_ = 0;
  int64_t watched_delay_ns_ = 0;
};

}  // namespace infer
