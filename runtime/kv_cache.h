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
  int32_t max_sequences = 1;    // alive at once; a contiguous cache shares its capacity out to them
  int32_t max_tokens = 512;     // in one call
  int64_t sequence_capacity = 0;  // positions of one sequence in a paged cache; 0: the capacity
};

using SequenceId = int32_t;

// The part of one sequence in a call.
struct BatchRequest {
  SequenceId sequence = 0;
  int32_t tokens = 0;      // that follow what is committed; at most what is reserved
  int32_t logit_rows = 1;  // its last so many tokens want logits: 0 none, `tokens` all
};

// Keys and values of all sequences in all layers, and the block tables that say where they lie.
// Owned by a session or a server; one thread at a time. Kernels reach the memory through view() and
// the Batch only.
//
// A sequence goes through Reserve (may fail), MakeBatch, the run, Commit; a run that failed is
// simply not committed. In a paged cache the full blocks of a clone are shared and counted; Reserve
// gives a sequence its own copy of a shared block before that block can be written.
//
// No sequence sees what another one left behind: blocks are zeroed when their last user lets go of
// them (see KvBlocks), and a copied block holds committed positions only.
class KvCache {
 public:
  // kInvalidArgument for options that make no cache, kResourceExhausted if memory is refused.
  static absl::StatusOr<std::unique_ptr<KvCache>> Create(const KvCacheOptions& options);
  // Bytes that Create would map, without mapping them.
  static absl::StatusOr<uint64_t> PredictBytes(const KvCacheOptions& options);

  KvCache(const KvCache&) = delete;
  KvCache& operator=(const KvCache&) = delete;

  // An empty sequence. kResourceExhausted if max_sequences are alive.
  absl::StatusOr<SequenceId> NewSequence();
  // A new sequence with the committed contents of `sequence`; its reservation is not taken over.
  absl::StatusOr<SequenceId> Clone(SequenceId sequence);
  void Release(SequenceId sequence);

  // Room for `tokens` after what is committed. Changes nothing if it fails; asking again for less
  // or as much costs nothing.
  absl::Status Reserve(SequenceId sequence, int64_t tokens);
  // The first `tokens` of the reservation now belong to the sequence.
  void Commit(SequenceId sequence, int64_t tokens);
  // Forgets everything from position `length` on, and the reservation.
  void Rewind(SequenceId sequence, int64_t length);

  // Describes a call. The spans in `batch` are valid until the next MakeBatch or change of one of
  // its sequences. kInvalidArgument, and `batch` untouched, if a request does not fit the cache.
  absl::Status MakeBatch(std::span<const BatchRequest> requests, Batch* batch);

  const KvView& view(int32_t layer) const { return blocks_.view(layer); }
  int32_t num_layers() const { return blocks_.num_layers(); }
  bool alive(SequenceId sequence) const;
  int64_t length(SequenceId sequence) const;    // committed positions
  int64_t reserved(SequenceId sequence) const;  // positions that can be committed
  int64_t capacity() const { return capacity_; }
  int32_t max_sequences() const { return static_cast<int32_t>(sequences_.size()); }
  // The most positions one sequence can have.
  int64_t sequence_capacity() const { return sequence_capacity_; }
  uint64_t bytes() const { return blocks_.bytes(); }
  // What of it lies in the cpu's memory.
  std::span<const std::byte> cpu_memory() const { return blocks_.cpu_memory(); }
  int64_t free_blocks() const { return blocks_.num_free(); }

 private:
  struct Sequence {
    bool alive = false;
    bool in_batch = false;  // of the call being made: a sequence may ask only once
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
  int64_t BlocksFor(int64_t positions) const;

  KvBlocks blocks_;
  int64_t capacity_;
  int64_t sequence_capacity_;
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
