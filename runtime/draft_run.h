// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/draft_length.h"
#include "runtime/drafter.h"
#include "runtime/token_constraint.h"

namespace infer {

// Where drafts of a text come from. Everything must outlive the text.
struct DraftSource {
  Drafter* drafter = nullptr;     // null: no drafts but forced tokens
  DraftLength* length = nullptr;  // null: kMaxDraft, whatever it costs
  const TokenConstraint* constraint =
      nullptr;  // its forced tokens are drafts that are always right
  const std::atomic<bool>* stop = nullptr;
};

// The tokens that a text contributes to calls of the model: its last one and a draft of what
// follows. Says, token by token, whether the logits after it are already there.
class DraftRun {
 public:
  explicit DraftRun(const DraftSource& source) : source_(source) {}

  // The text goes on with `token`. Returns true if the last call has computed the logits after it:
  // those of row().
  bool Continue(int32_t token);
  // The row of the last call's logits that belongs to the end of the text.
  int64_t row() const { return row_; }

  // Returns the tokens of the next call: the last of `text`, and a draft of at most `room` tokens.
  // Valid until the next call. Returns kCancelled if the source's `stop` is set meanwhile.
  absl::StatusOr<std::span<const int32_t>> NextCall(std::span<const int32_t> text, int64_t room);

  // The last call took this long, in any unit that is always the same. Not calling this leaves the
  // choice of lengths to the estimates.
  void Took(double time) {
    if (source_.length != nullptr) source_.length->Took(std::ssize(draft()), time);
  }

  // Ends the last call: the rest of its draft is not needed. Returns what became of it; of the
  // call's tokens, proposed - accepted are to be taken back.
  DraftCounts End();

  // The last call was not run.
  void Abandon() { call_.clear(); }

  const DraftCounts& counts() const { return counts_; }

 private:
  std::span<const int32_t> draft() const { return std::span(call_).subspan(call_.empty() ? 0 : 1); }

  DraftSource source_;
  std::vector<int32_t> call_;
  std::vector<int32_t> proposed_;
  bool is_forced_ = false;
  int64_t row_ = 0;
  DraftCounts counts_;
};

}  // namespace infer
