// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace infer {

// Bounds of one rendering: a template comes with a downloaded file and may loop for ever.
struct TemplateLimits {
  int64_t steps = 20'000'000;              // about a second
  size_t output_bytes = size_t{16} << 20;  // of the rendered text, plus 4 times the request
  size_t value_bytes = size_t{32} << 20;   // of values, plus 8 times the request
  int depth = 400;                         // of expressions, blocks and macros inside each other
};

namespace chat {

// Counts what a rendering uses. Exceeding a bound is remembered: whoever allocates asks Allow()
// and does nothing if it says no, and the interpreter reports status() after each operation.
class Budget {
 public:
  Budget(int64_t steps, size_t value_bytes) : steps_(steps), free_bytes_(value_bytes) {}

  // Counts work in units of about one evaluated expression.
  void Spend(size_t steps) { steps_ -= static_cast<int64_t>(steps < kMost ? steps : kMost); }
  // Counts bytes that Release() gives back. Returns false if they exceed what is left.
  bool Allow(size_t bytes) {
    if (bytes > free_bytes_) out_of_memory_ = true;
    if (out_of_memory_) return false;
    free_bytes_ -= bytes;
    return true;
  }
  // The same for memory that is freed before the operation ends.
  bool CanAllow(size_t bytes) {
    if (!Allow(bytes)) return false;
    Release(bytes);
    return true;
  }
  void Release(size_t bytes) { free_bytes_ += bytes; }
  bool ok() const { return steps_ >= 0 && !out_of_memory_; }
  size_t free_bytes() const { return out_of_memory_ ? 0 : free_bytes_; }
  absl::Status status() const;

 private:
  static constexpr size_t kMost = size_t{1} << 40;

  int64_t steps_;
  size_t free_bytes_;
  bool out_of_memory_ = false;
};

}  // namespace chat
}  // namespace infer
