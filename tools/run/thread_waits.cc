// SPDX-License-Identifier: Apache-2.0
#include "tools/run/thread_waits.h"

namespace infer {

void ThreadWaits::AddNew(std::vector<uint64_t>* sums) {
  const std::vector<uint64_t> now = backend_->WaitNs();
  sums->resize(now.size());
  for (size_t i = 0; i < now.size(); ++i) (*sums)[i] += now[i] - seen_[i];
  seen_ = now;
}

}  // namespace infer
