// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph/dtype.h"
#include "runtime/batch.h"
#include "runtime/kv_blocks.h"

namespace infer {

struct KvCacheOptions {
  std::vector<KvLayer> layers;
  DType dtype = DType::kF16;    // f32, f16 or q8_0
  int64_t capacity = 0;         // positions, over all sequences
  int32_t block_positions = 0;  // 0: contiguous, one block for each sequence
  int32_t max_sequences = 1;    // alive at once; a contiguous cache divides its capacity among them
  int32_t max_tokens = 512;     // in one call
  int64_t sequence_capacity = 0;  // positions of one sequence in a paged cache; 0: the capacity
};

using SequenceId = int32_t;

// The contribution of one sequence to a call.
struct BatchRequest {
  SequenceId sequence = 0;
  int32_t tokens = 0;      // after the committed ones; at most the reservation
  int32_t logit_rows = 1;  // logits for this many of its last tokens: 0 none, `tokens` all
};

// Owns the keys and values of all sequences in all layers, and the block tables that locate them.
// Owned by a session or a server; not thread-safe. Kernels access the memory only through view()
// and the Batch.
//
// A sequence goes through Reserve (may fail), MakeBatch, the run and Commit; a failed run is simply
// not committed. In a paged cache the full blocks of a clone are shared and reference-counted;
// Reserve gives a sequence its own copy of a shared block before that block can be written.
//
// A sequence never sees another one's leftover data: blocks are zeroed before they are used again
// (see KvBlocks), and a copied block holds committed positions only.
//
// Blocks of a paged cache can also be kept without a sequence, by a cache of prefixes, and
// sequences be created from them.
class KvCache {
 public:
  // Returns kInvalidArgument for invalid options, kResourceExhausted if memory is refused.
  static absl::StatusOr<std::unique_ptr<KvCache>> Create(const KvCacheOptions& options);
  // Returns the bytes that Create would map, without mapping them.
  static absl::StatusOr<uint64_t> PredictBytes(const KvCacheOptions& options);

  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  // Creates an empty sequence. Returns kResourceExhausted if max_sequences are alive.
  absl::StatusOr<SequenceId> NewSequence();
  // Creates a sequence of `length` positions that lie in these blocks, which are shared with their
  // other users.
  absl::StatusOr<SequenceId> NewSequence(std::span<const int32_t> blocks, int64_t length);
  // Creates a sequence with the committed contents of `sequence`, but not its reservation.
  absl::StatusOr<SequenceId> Clone(SequenceId sequence);
  void Release(SequenceId sequence);

  // Reserves room for `tokens` after the committed ones. Changes nothing on failure; asking again
  // for the same number or fewer costs nothing.
  absl::Status Reserve(SequenceId sequence, int64_t tokens);
  // Makes the first `tokens` of the reservation part of the sequence.
  void Commit(SequenceId sequence, int64_t tokens);
  // Discards everything from position `length` on, and the reservation.
  void Rewind(SequenceId sequence, int64_t length);
  // Returns how many free blocks Reserve would take.
  int64_t MissingBlocks(SequenceId sequence, int64_t tokens) const;

  // Physical blocks of a sequence, in the order of its positions.
  std::span<const int32_t> blocks(SequenceId sequence) const { return sequences_[sequence].blocks; }
  // Lets a sequence share `block`, which holds the same positions, in place of its own.
  void ReplaceBlock(SequenceId sequence, size_t index, int32_t block);
  // A kept block stays when no sequence uses it any more. Each may be kept once.
  void KeepBlock(int32_t block) { blocks_.Keep(block); }
  void UnkeepBlock(int32_t block) { blocks_.Unkeep(block); }
  bool used_by_sequence(int32_t kept_block) const { return blocks_.shared(kept_block); }
  // Zeroes one free block that still holds old data, so that taking it costs nothing later. Returns
  // false if there is none.
  bool ClearOneBlock() { return blocks_.ClearOne(); }
  // See KvBlocks.
  void RecordChanges(std::vector<KvBlockChange>* changes) { blocks_.RecordChanges(changes); }
  void Apply(const KvBlockChange& change) { blocks_.Apply(change); }

  // Describes a call in `batch`. Its spans are valid until the next MakeBatch or change to one of
  // its sequences. Returns kInvalidArgument and leaves `batch` untouched if a request does not fit
  // the cache.
  absl::Status MakeBatch(std::span<const BatchRequest> requests, Batch* batch);

  const KvView& view(int32_t layer) const { return blocks_.view(layer); }
  int32_t num_layers() const { return blocks_.num_layers(); }
  bool alive(SequenceId sequence) const;
  int64_t length(SequenceId sequence) const;    // committed positions
  int64_t reserved(SequenceId sequence) const;  // positions that can be committed
  int64_t capacity() const { return capacity_; }
  int32_t max_sequences() const { return static_cast<int32_t>(sequences_.size()); }
  // The maximum number of positions of one sequence.
  int64_t sequence_capacity() const { return sequence_capacity_; }
  uint64_t bytes() const { return blocks_.bytes(); }
  // The part in the cpu's memory.
  std::span<const std::byte> cpu_memory() const { return blocks_.cpu_memory(); }
  bool is_paged() const { return is_paged_; }
  int64_t num_blocks() const { return blocks_.num_blocks(); }
  int32_t block_positions() const { return block_positions_; }
  int64_t free_blocks() const { return blocks_.num_free(); }
  int64_t clean_blocks() const { return blocks_.num_clean(); }  // of the free ones
  int64_t idle_blocks() const { return blocks_.num_idle(); }    // kept and in no sequence

 private:
  struct Sequence {
    bool alive = false;
    bool in_batch = false;  // already in the call being built: only one request each
    int32_t length = 0;
    int32_t reserved = 0;
    std::vector<int32_t> blocks;  // physical block of each logical block
  };

  KvCache(const KvCacheOptions& options, int64_t sequence_capacity, KvBlocks blocks);

  absl::Status CheckAlive(SequenceId sequence) const;
  absl::Status CheckRequests(std::span<const BatchRequest> requests);
  absl::Status CheckRequest(const BatchRequest& request) const;
  void AppendTokens(const BatchRequest& request);
  absl::Status Full(const Sequence& sequence, int64_t tokens) const;
  bool TailIsShared(const Sequence& sequence) const;
  int64_t BlocksFor(int64_t positions) const;

  KvBlocks blocks_;
  int64_t capacity_;
  int64_t sequence_capacity_;
  bool is_paged_;
  int32_t block_positions_;
  int32_t max_tokens_;
  std::vector<Sequence> sequences_;

  std::vector<int32_t> token_seq_;
  std::vector<int32_t> token_pos_;
  std::vector<int32_t> token_slot_;
  std::vector<int32_t> out_rows_;
  std::vector<BatchSequence> batch_sequences_;
};

}  // namespace infer
