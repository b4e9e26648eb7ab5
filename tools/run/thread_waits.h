// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend.h"

namespace infer {

// What each thread has waited for others inside forward passes, prompts and decoding apart. Empty
// where nobody counts: one thread, or oneTBB.
class ThreadWaits {
 public:
  // `backend` must outlive it.
  explicit ThreadWaits(const Backend* backend) : backend_(backend), seen_(backend->WaitNs()) {}

  // What was waited since the last of these, or the construction, was for prompts, or for decoding.
  void EndPrefill() { AddNew(&prefill_ns_); }
  void EndDecode() { AddNew(&decode_ns_); }

  std::span<const uint64_t> prefill_ns() const { return prefill_ns_; }
  std::span<const uint64_t> decode_ns() const { return decode_ns_; }

 private:
  void AddNew(std::vector<uint64_t>* sums);

  const Backend* backend_;
  std::vector<uint64_t> seen_;
  std::vector<uint64_t> prefill_ns_;
  std::vector<uint64_t> decode_ns_;
};

}  // namespace infer
