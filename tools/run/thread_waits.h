// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/backend.h"

namespace infer {

// Adds up how long each thread waited for others inside forward passes, for prompts and decoding
// separately. Empty if waits are not counted: one thread, or oneTBB.
class ThreadWaits {
 public:
  // `backend` must outlive it.
  explicit ThreadWaits(const Backend* backend) : backend_(backend), seen_(backend->WaitNs()) {}

  // Called in each generation: waits until EndPrefill count for the prompt, those until End for
  // decoding. For an interrupted prompt EndPrefill is not called, and all waits count for the
  // prompt.
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
