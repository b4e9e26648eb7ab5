// SPDX-License-Identifier: Apache-2.0
//
// In which order the threads of a group go on. In lockstep, each runs to its next barrier or
// simdgroup operation before the first runs again, which hides a missing barrier between simdgroups
// that work alike. So other orders let one simdgroup run ahead as far as it can.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace infer::emulation {

enum class Order : uint8_t {
  kForward,   // in lockstep, the first thread first
  kReverse,   // the last simdgroup as far as it can, then the one before it
  kShuffled,  // in each round the one or the other, in an order of its own
};

class ThreadOrder {
 public:
  static constexpr uint32_t kWidth = 32;  // of a simdgroup

  ThreadOrder(Order order, uint32_t threads, uint32_t seed)
      : order_(order), random_(seed == 0 ? 1 : seed), ahead_(order == Order::kReverse) {
    sequence_.resize(threads);
    std::iota(sequence_.begin(), sequence_.end(), 0u);
    if (order == Order::kReverse) std::reverse(sequence_.begin(), sequence_.end());
  }

  // Begins a round.
  void Next() {
    if (order_ != Order::kShuffled) return;
    ahead_ = Random() % 2 == 0;
    if (!ahead_) return Shuffle(sequence_);
    simdgroups_.resize((sequence_.size() + kWidth - 1) / kWidth);
    std::iota(simdgroups_.begin(), simdgroups_.end(), 0u);
    Shuffle(simdgroups_);
    size_t next = 0;
    for (const uint32_t simdgroup : simdgroups_) {
      const auto begin = sequence_.begin() + next;
      for (uint32_t lane = 0; lane < kWidth && simdgroup * kWidth + lane < sequence_.size();
           ++lane) {
        sequence_[next++] = simdgroup * kWidth + lane;
      }
      Shuffle({begin, sequence_.begin() + next});
    }
  }

  // The threads from `first` on that go on together, each to its next wait: those of a simdgroup,
  // again and again until none of them can, or all, once.
  std::span<const uint32_t> Part(size_t first) const {
    if (!ahead_) return std::span(sequence_).subspan(first);
    size_t end = first;
    while (end < sequence_.size() && sequence_[end] / kWidth == sequence_[first] / kWidth) ++end;
    return std::span(sequence_).subspan(first, end - first);
  }
  bool runs_ahead() const { return ahead_; }
  size_t size() const { return sequence_.size(); }

 private:
  // xorshift32: any sequence will do, as long as a seed repeats it.
  uint32_t Random() {
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    return random_;
  }

  void Shuffle(std::span<uint32_t> values) {
    for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Random() % i]);
  }

  // Kept by the OS thread for their memory; a thread runs one group at a time.
  static inline thread_local std::vector<uint32_t> sequence_, simdgroups_;
  Order order_;
  uint32_t random_;
  bool ahead_;
};

}  // namespace infer::emulation
