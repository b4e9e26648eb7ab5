// SPDX-License-Identifier: Apache-2.0
#include "runtime/serving/stream_drafter.h"

#include <algorithm>

namespace infer {
namespace {

constexpr int64_t kUsualDraft = 3;  // until it is known how many are accepted

}  // namespace

StreamDrafter::StreamDrafter(const DraftEstimates& estimates, int64_t max_tokens)
    : lengths_{DraftLength(estimates[0], kUsualDraft), DraftLength(estimates[1], kUsualDraft)},
      max_tokens_(max_tokens) {}

absl::Status StreamDrafter::Propose(std::span<const int32_t> text, int64_t most,
                                    const std::atomic<bool>* stop, std::vector<int32_t>* draft) {
  draft->clear();
  proposed_for_ = 0;
  if (decoding_ < 1 || decoding_ > kMostDrafting) return absl::OkStatus();
  most = std::min(most, lengths_[static_cast<size_t>(decoding_ - 1)].Next());
  if (most <= 0) return absl::OkStatus();
  if (ngrams_ == nullptr) ngrams_ = std::make_unique<NgramDrafter>(max_tokens_);
  proposed_for_ = decoding_;
  return ngrams_->Propose(text, most, stop, draft);
}

void StreamDrafter::Done(const DraftCounts& counts) {
  if (proposed_for_ > 0 && counts.proposed > 0) {
    lengths_[static_cast<size_t>(proposed_for_ - 1)].Done(counts.proposed, counts.accepted);
  }
  proposed_for_ = 0;
}

void StreamDrafter::Took(int64_t drafted, double ms) {
  if (decoding_ < 1 || decoding_ > kMostDrafting || drafted > kMaxDraft) return;
  lengths_[static_cast<size_t>(decoding_ - 1)].Took(drafted, ms);
}

}  // namespace infer
