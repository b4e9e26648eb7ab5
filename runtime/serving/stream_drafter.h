// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/draft_length.h"
#include "runtime/drafter.h"
#include "runtime/ngram_drafter.h"

namespace infer {

// Drafts stop paying when several sequences share a call: their rows fill it as well.
inline constexpr int64_t kMostDrafting = 2;

// Estimated time of calls that advance 1, 2, ... sequences, each with a draft of 0, 1, ... tokens.
using DraftEstimates = std::array<std::array<double, kMaxDraft + 1>, kMostDrafting>;

// Drafts of one text in a server, where others come and go: off while many of them run, and with
// lengths that suit how many there are.
class StreamDrafter : public Drafter {
 public:
  // A text has at most `max_tokens`.
  StreamDrafter(const DraftEstimates& estimates, int64_t max_tokens);

  // The next call advances this many sequences.
  void SetDecoding(int64_t sequences) { decoding_ = sequences; }

  absl::Status Propose(std::span<const int32_t> text, int64_t most, const std::atomic<bool>* stop,
                       std::vector<int32_t>* draft) override;
  // What became of the last call's draft, if it was made here.
  void Done(const DraftCounts& counts);
  // The last call took this long and had drafts of this many tokens alone.
  void Took(int64_t drafted, double ms);

 private:
  std::array<DraftLength, kMostDrafting> lengths_;
  int64_t max_tokens_;
  int64_t decoding_ = 0;
  int64_t proposed_for_ = 0;              // sequences, when the last draft was made; 0: none
  std::unique_ptr<NgramDrafter> ngrams_;  // made when drafts are first wanted
};

}  // namespace infer
