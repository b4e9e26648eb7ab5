// SPDX-License-Identifier: Apache-2.0
//
// Decides how many threads of a team take part in the next region. On a quiet machine that is all
// of them. Where other programs want the same CPUs, a thread that the system takes off its CPU
// keeps all others waiting at the next barrier, and fewer threads are often faster: which number
// is, is measured.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace infer {

class ThreadGovernor {
 public:
  explicit ThreadGovernor(int threads);

  // Returns the number of threads for a region that begins at `now_ns`. Regions of one kind take
  // about the same time.
  int Choose(int kind, int64_t now_ns);

  // Called after each region. `preemptions` is how often the system has taken a thread of this
  // process off its CPU, since any time before.
  void Record(int kind, int threads, int64_t began_ns, int64_t ended_ns, uint64_t preemptions);

  // Whether others want our CPUs: threads were preempted at a rate that a quiet machine never has.
  bool contended() const { return contended_; }

  static constexpr int kKinds = 24;

 private:
  // What is known about the regions of one kind.
  struct Kind {
    std::vector<double> ns;     // of each candidate; 0: not measured
    std::vector<int> measured;  // how often, up to a limit
    size_t tried = 0;           // the candidate chosen last
    bool explores = false;
    bool up_next = false;  // which neighbour of the best one to try next
    int64_t explored_at_ns = 0;
    int64_t explored_ns = 0;  // how long that took
  };

  size_t Best(const Kind& kind) const;
  void Forget();

  std::vector<int> candidates_;  // threads, a half, a quarter, ... 1
  std::array<Kind, kKinds> kinds_;
  bool contended_ = false;
  std::optional<uint64_t> preemptions_;  // after the last region
  // Of regions with all threads since the last decision: their time and preemptions in it.
  int64_t window_ns_ = 0;
  uint64_t window_preemptions_ = 0;
};

}  // namespace infer
