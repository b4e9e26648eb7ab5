// SPDX-License-Identifier: Apache-2.0
#include "runtime/draft_run.h"

#include <algorithm>

#include "ir/base/status_macros.h"

namespace infer {

bool DraftRun::Continue(int32_t token) {
  if (row_ >= std::ssize(draft()) || draft()[static_cast<size_t>(row_)] != token) return false;
  ++row_;
  return true;
}

absl::StatusOr<std::span<const int32_t>> DraftRun::NextCall(std::span<const int32_t> text,
                                                            int64_t room) {
  End();
  proposed_.clear();
  room = std::clamp<int64_t>(room, 0, kMaxDraft);
  if (source_.constraint != nullptr) source_.constraint->Force(room, &proposed_);
  is_forced_ = !proposed_.empty();
  if (!is_forced_ && source_.drafter != nullptr && room > 0) {
    if (source_.length != nullptr) room = std::min(room, source_.length->Next());
    if (room > 0) RETURN_IF_ERROR(source_.drafter->Propose(text, room, source_.stop, &proposed_));
  }
  call_.assign(1, text.back());
  call_.insert(call_.end(), proposed_.begin(), proposed_.end());
  return std::span<const int32_t>(call_);
}

DraftCounts DraftRun::End() {
  if (call_.empty()) return {};
  const DraftLength* length = source_.length;
  const DraftCounts done = {.proposed = std::ssize(draft()),
                            .accepted = row_,
                            .calls = 1,
                            .cost = length == nullptr ? 0 : length->CostOf(std::ssize(draft()))};
  // Forced tokens say nothing about how well others are guessed.
  if (done.proposed > 0 && !is_forced_ && length != nullptr) {
    source_.length->Done(done.proposed, done.accepted);
  }
  call_.clear();
  row_ = 0;
  counts_ += done;
  return done;
}

}  // namespace infer
