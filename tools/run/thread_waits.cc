// SPDX-License-Identifier: Apache-2.0
#include "tools/run/thread_waits.h"

namespace infer {

void ThreadWaits::EndPrefill() {
  AddNew();
  in_prefill_ = false;
}

void ThreadWaits::End() {
  AddNew();
  in_prefill_ = true;
}

void ThreadWaits::AddNew() {
  std::vector<uint64_t>& sums = in_prefill_ ? prefill_ns_ : decode_ns_;
  const std::vector<uint64_t> now = backend_->WaitNs();
  sums.resize(now.size());
  for (size_t i = 0; i < now.size(); ++i) sums[i] += now[i] - seen_[i];
  seen_ = now;
}

}  // namespace infer
