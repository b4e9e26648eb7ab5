// SPDX-License-Identifier: Apache-2.0
//
// How the ranks of a divided model run the same calls: rank 0 decides what to run and announces
// each call, the others follow. An announcement holds everything that the kernels of a call see, so
// a follower needs no bookkeeping of sequences and cannot come to another conclusion.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/shape.h"
#include "runtime/batch.h"
#include "runtime/collective.h"
#include "runtime/kv_blocks.h"

namespace infer {

// A call as it is announced. Owns what its batch points to.
class AnnouncedCall {
 public:
  // On rank 0: sends the call, and what happened to the memory of the cache since the last one.
  absl::Status Send(Collective& transport, const SymbolValues& symbols,
                    std::span<const int32_t> tokens, const Batch& batch,
                    std::span<const KvBlockChange> changes, bool is_recorded = false);
  // On rank 0: tells the others that no call follows.
  absl::Status SendEnd(Collective& transport);
  // On the others: returns false at the end.
  absl::StatusOr<bool> Receive(Collective& transport);

  const SymbolValues& symbols() const { return symbols_; }
  std::span<const int32_t> tokens() const { return tokens_; }
  const Batch& batch() const { return batch_; }
  std::span<const KvBlockChange> changes() const { return changes_; }
  // Whether the ranks record what their threads do.
  bool is_recorded() const { return is_recorded_; }

 private:
  absl::Status SendWords(Collective& transport);
  void Read();

  std::vector<int64_t> words_;  // what is sent
  SymbolValues symbols_;
  std::vector<int32_t> tokens_;
  std::vector<int32_t> indices_;  // the arrays of the batch, one after the other
  std::vector<BatchSequence> sequences_;
  std::vector<KvBlockChange> changes_;
  Batch batch_;
  bool is_recorded_ = false;
};

}  // namespace infer
