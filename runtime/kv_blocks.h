// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/dtype.h"
#include "runtime/batch.h"
#include "runtime/memory_space.h"

namespace infer {

// The shape of one layer's K, and of its V, at each position.
struct KvLayer {
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  MemorySpace* space = &CpuSpace();  // where they are stored; must outlive the blocks
};

// A change to the memory of a cache outside calls: the first positions of a block were copied from
// another one, or zeroed.
struct KvBlockChange {
  int32_t from = -1;  // -1: zeroed
  int32_t block = 0;
  int32_t positions = 0;
};

// Owns the memory of a KV cache: blocks of positions, each spanning all layers, with a count of the
// sequences that use it. K and V of a layer are separate, each
// [block][kv_head][position][head_dim]. Owned by a KvCache, which has checked every argument passed
// here.
//
// A block is all zeros when it is taken: the positions that Expose allowed to be written are zeroed
// then, or earlier by ClearOne, but not when its last user drops it, so that the end of a long
// sequence costs nothing. Pages that were never written stay untouched.
class KvBlocks {
 public:
  // Returns the bytes for this many blocks; kResourceExhausted if they do not fit in 64 bits.
  static absl::StatusOr<uint64_t> PredictBytes(std::span<const KvLayer> layers, DType dtype,
                                               int64_t blocks, int64_t block_positions);
  static absl::StatusOr<KvBlocks> Create(std::span<const KvLayer> layers, DType dtype,
                                         int64_t blocks, int64_t block_positions);

  // Takes a free block for one user; there must be one. Prefers cleared ones.
  int32_t Take();
  // Takes a free block and copies the first `positions` of another into it.
  int32_t TakeCopy(int32_t block, int32_t positions);
  // Adds a user.
  void Share(int32_t block);
  // Removes a user; the block becomes free after the last one.
  void Drop(int32_t block);
  // Zeroes one free block that still holds data; returns false if there is none.
  bool ClearOne();
  // Adds the cache of prefixes as a user. It keeps a block at most once.
  void Keep(int32_t block);
  void Unkeep(int32_t block);
  bool shared(int32_t block) const { return uses_[block].users > 1; }
  // Marks the first `positions` of the block as writable: from now on they may hold data.
  void Expose(int32_t block, int32_t positions);

  // Appends every later change to `changes`, which must outlive the blocks; null ends that.
  void RecordChanges(std::vector<KvBlockChange>* changes) { changes_ = changes; }
  // Repeats a change that was made to blocks of the same shape.
  void Apply(const KvBlockChange& change);

  const KvView& view(int32_t layer) const { return views_[layer]; }
  int32_t num_layers() const { return static_cast<int32_t>(views_.size()); }
  int64_t num_blocks() const { return static_cast<int64_t>(uses_.size()); }
  int64_t num_free() const { return std::ssize(clean_) + std::ssize(dirty_); }
  int64_t num_clean() const { return std::ssize(clean_); }
  // Blocks that nobody but the cache of prefixes uses.
  int64_t num_idle() const { return idle_; }
  int32_t block_positions() const { return views_.front().block_positions; }
  // Total over all spaces.
  uint64_t bytes() const;
  // The part in the cpu's memory.
  std::span<const std::byte> cpu_memory() const;

 private:
  struct Use {
    int32_t users = 0;
    int32_t exposed_positions = 0;
    bool kept = false;
  };

  KvBlocks() = default;
  void Zero(int32_t block, int32_t positions);
  void CopyPositions(int32_t from, int32_t to, int32_t positions);

  struct Part {
    MemorySpace* space;
    std::unique_ptr<SpaceMemory> memory;
  };

  std::vector<Part> parts_;             // one for each space
  std::vector<KvView> views_;           // one for each layer
  std::vector<MemorySpace*> space_of_;  // one for each layer
  std::vector<Use> uses_;               // one for each block
  // Free blocks, as stacks: the one freed last is the warmest.
  std::vector<int32_t> clean_;  // all zeros
  std::vector<int32_t> dirty_;
  int64_t idle_ = 0;
  std::vector<KvBlockChange>* changes_ = nullptr;
};

}  // namespace infer
