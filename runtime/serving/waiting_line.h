// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/serving/active_request.h"
#include "runtime/serving/tenant_shares.h"

namespace infer {

// A stream without a sequence.
struct WaitingStream {
  ActiveRequest* request = nullptr;
  TextStream* stream = nullptr;
  ServingClock::time_point since = {};
  bool was_preempted = false;
  uint64_t passed_over_in = 0;  // round in which it was found that it must wait
};

// Streams that wait for a place, and which of them is next: tenants in turn, and among the streams
// of a tenant those that had a place before, then by ServedBefore.
class WaitingLine {
 public:
  void Add(const WaitingStream& waiting) { waiting_.push_back(waiting); }
  void Remove(const TextStream* stream);

  // Starts to look for streams to admit.
  void BeginRound() { ++round_; }
  // Returns the next one that was not passed over in this round; null if there is none. Valid until
  // the line changes.
  WaitingStream* Next(ServingClock::time_point now, TenantShares& shares);
  // It cannot be admitted in this round.
  void PassOver(WaitingStream* waiting) { waiting->passed_over_in = round_; }

  bool empty() const { return waiting_.empty(); }
  size_t size() const { return waiting_.size(); }

 private:
  std::vector<WaitingStream> waiting_;
  uint64_t round_ = 0;
};

}  // namespace infer
