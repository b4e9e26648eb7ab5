// SPDX-License-Identifier: Apache-2.0
#include "runtime/model_drafter.h"

#include <algorithm>

#include "ir/base/status_macros.h"

namespace infer {

absl::Status ModelDrafter::Propose(std::span<const int32_t> text, int64_t most,
                                   const std::atomic<bool>* stop, std::vector<int32_t>* draft) {
  draft->clear();
  // The last drafted token is not run.
  most = std::min(most, session_->context() - std::ssize(text) + 1);
  if (most <= 0) return absl::OkStatus();
  RETURN_IF_ERROR(session_->Prefill(text, stop));
  for (;;) {
    const std::span<const float> logits = session_->logits();
    draft->push_back(static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin()));
    if (std::ssize(*draft) >= most) return absl::OkStatus();
    RETURN_IF_ERROR(session_->Decode(draft->back(), stop));
  }
}

}  // namespace infer
