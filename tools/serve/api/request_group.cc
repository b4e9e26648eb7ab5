// SPDX-License-Identifier: Apache-2.0
#include "tools/serve/api/request_group.h"

namespace infer::serve {

void RequestGroup::Add(RequestId id) {
  std::lock_guard<std::mutex> lock(mutex_);
  ids_.push_back(id);
  if (is_cancelled_) runner_->Cancel(id);
  if (is_paused_) runner_->SetPaused(id, true);
}

void RequestGroup::SetPaused(bool is_paused) {
  std::lock_guard<std::mutex> lock(mutex_);
  is_paused_ = is_paused;
  for (const RequestId id : ids_) runner_->SetPaused(id, is_paused);
}

void RequestGroup::CancelAll() {
  std::lock_guard<std::mutex> lock(mutex_);
  is_cancelled_ = true;
  for (const RequestId id : ids_) runner_->Cancel(id);
}

}  // namespace infer::serve
