// SPDX-License-Identifier: Apache-2.0
#include "runtime/model_drafter.h"

#include <algorithm>

#include "ir/base/status_macros.h"

namespace infer {

bool ModelDrafter::Knows(std::span<const int32_t> text) const {
  return !text.empty() && std::ssize(text) <= session_->context() &&
         std::ranges::all_of(text, [this](int32_t id) { return id < session_->vocabulary(); });
}

absl::Status ModelDrafter::Begin(std::span<const int32_t> prompt, const std::atomic<bool>* stop) {
  return Knows(prompt) ? session_->Prefill(prompt, stop) : absl::OkStatus();
}

absl::Status ModelDrafter::Propose(std::span<const int32_t> text, int64_t most,
                                   const std::atomic<bool>* stop, std::vector<int32_t>* draft) {
  draft->clear();
  // The last drafted token is not run.
  most = std::min(most, session_->context() - std::ssize(text) + 1);
  if (most <= 0 || !Knows(text)) return absl::OkStatus();
  RETURN_IF_ERROR(session_->Prefill(text, stop));
  for (;;) {
    const std::span<const float> logits = session_->logits().first(static_cast<size_t>(tokens_));
    draft->push_back(static_cast<int32_t>(std::ranges::max_element(logits) - logits.begin()));
    if (std::ssize(*draft) >= most) return absl::OkStatus();
    RETURN_IF_ERROR(session_->Decode(draft->back(), stop));
  }
}

}  // namespace infer
