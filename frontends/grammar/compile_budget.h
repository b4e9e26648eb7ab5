// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace infer {

// Counts the work and the memory of compiling one grammar, so that no text a client sends holds a
// core or fills the memory, whatever combines in it. All schemas of a list of tools share one.
class CompileBudget {
 public:
  // A step is about 4 ns of a core at 2.5 GHz: a second in all.
  static constexpr size_t kMaxSteps = size_t{1} << 28;
  // What stays in memory once a grammar is compiled, and what grows faster than the text.
  static constexpr size_t kMaxBytes = size_t{256} << 20;

  explicit CompileBudget(size_t max_steps = kMaxSteps) : max_steps_(max_steps) {}

  // Take what is about to be done, or return false and leave the count as it is.
  [[nodiscard]] bool TakeSteps(size_t steps) { return Take(steps, max_steps_, &steps_); }
  [[nodiscard]] bool TakeBytes(size_t bytes) { return Take(bytes, kMaxBytes, &bytes_); }

  size_t steps() const { return steps_; }
  size_t bytes() const { return bytes_; }

 private:
  static bool Take(size_t more, size_t limit, size_t* taken) {
    if (more > limit - *taken) return false;
    *taken += more;
    return true;
  }

  size_t max_steps_;
  size_t steps_ = 0;
  size_t bytes_ = 0;
};

}  // namespace infer
