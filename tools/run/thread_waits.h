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

  // In each generation: what is waited until EndPrefill is for the prompt, then until End for
  // decoding. Of a prompt that is interrupted the end does not come, and all is for it.
  void EndPrefill();
  void End();

  std::span<const uint64_t> prefill_ns() const { return prefill_ns_; }
  std::span<const uint64_t> decode_ns() const { return decode_ns_; }

 private:
  void AddNew();

  const Backend* backend_;
  bool in_prefill_ = true;
  std::vector<uint64_t> seen_;
  std::vector<uint64_t> prefill_ns_;
  std::vector<uint64_t> decode_ns_;
};

}  // namespace infer
