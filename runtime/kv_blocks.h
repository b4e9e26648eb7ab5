// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph/dtype.h"
#include "runtime/batch.h"
#include "runtime/memory_space.h"

namespace infer {

// What one layer keeps for each position, twice: K and V.
struct KvLayer {
  int32_t kv_heads = 0;
  int32_t head_dim = 0;
  MemorySpace* space = &CpuSpace();  // where it keeps them; must outlive the blocks
};

// The memory of a KV cache: blocks of positions, each reaching through all layers, counted by how
// many sequences use them. K and V of a layer lie apart, each [block][kv_head][position][head_dim].
// Owned by a KvCache, which has checked every number given here.
//
// A block is all zeros when it is taken: it is overwritten when its last user drops it, as far as
// Expose let anyone write. Pages nobody wrote stay untouched.
class KvBlocks {
 public:
  // Bytes for so many blocks; kResourceExhausted if they do not fit in 64 bits.
  static absl::StatusOr<uint64_t> PredictBytes(std::span<const KvLayer> layers, DType dtype,
                                               int64_t blocks, int64_t block_positions);
  static absl::StatusOr<KvBlocks> Create(std::span<const KvLayer> layers, DType dtype,
                                         int64_t blocks, int64_t block_positions);

  // A free block for one user; there must be one.
  int32_t Take();
  // A free block with the first `positions` of another.
  int32_t TakeCopy(int32_t block, int32_t positions);
  // One user more.
  void Share(int32_t block) { ++uses_[block].users; }
  // One user less; the block is free again after the last.
  void Drop(int32_t block);
  bool shared(int32_t block) const { return uses_[block].users > 1; }
  // From now on the first `positions` of the block may hold data.
  void Expose(int32_t block, int32_t positions);

  const KvView& view(int32_t layer) const { return views_[layer]; }
  int32_t num_layers() const { return static_cast<int32_t>(views_.size()); }
  int64_t num_blocks() const { return static_cast<int64_t>(uses_.size()); }
  int64_t num_free() const { return static_cast<int64_t>(free_.size()); }
  int32_t block_positions() const { return views_.front().block_positions; }
  // In all spaces together.
  uint64_t bytes() const;
  // What lies in the cpu's memory.
  std::span<const std::byte> cpu_memory() const;

 private:
  struct Use {
    int32_t users = 0;
    int32_t exposed_positions = 0;
  };

  KvBlocks() = default;
  void Zero(int32_t block, int32_t positions);

  struct Part {
    MemorySpace* space;
    std::unique_ptr<SpaceMemory> memory;
  };

  std::vector<Part> parts_;             // one for each space
  std::vector<KvView> views_;           // one for each layer
  std::vector<MemorySpace*> space_of_;  // the same
  std::vector<Use> uses_;               // one for each block
  std::vector<int32_t> free_;           // a stack: the block freed last is the warmest
};

}  // namespace infer
