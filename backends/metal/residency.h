// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "backends/metal/metal_ref.h"

namespace infer::metal {

// Whether the system has residency sets: macOS 15 and later.
bool HasResidencySets(MTL::Device* device);

// Returns the maximum bytes of one set: MLX's default, a twentieth of the working set. 0: no limit.
uint64_t ResidencySetBytes(uint64_t working_set);

// The residency sets of a queue, shared by everything that uses the queue, which accepts only 32.
//
// Sets keep buffers wired between calls: without them, macOS unwires what a queue has not used for
// a second, and the next token of a 7B model in F16 took 320 ms instead of 56 (M4 Pro,
// llama.cpp#10119). There are several, because a set is wired as a whole when one of its buffers is
// used (mlx#4211). They only affect speed. While a command buffer runs, the system keeps every
// buffer resident that setBuffer bound, retained or not, tracked or not; useResource is for buffers
// that shaders reach through pointers in other buffers, and there are none. So where there are no
// sets (macOS 14), nothing needs to replace them.
class ResidencySets {
 public:
  // Does nothing unless `available`. `device` and `queue` must outlive it.
  ResidencySets(MTL::Device* device, MTL::CommandQueue* queue, bool available, uint64_t set_bytes)
      : device_(device), queue_(queue), available_(available), set_bytes_(set_bytes) {}
  ResidencySets(const ResidencySets&) = delete;
  ResidencySets& operator=(const ResidencySets&) = delete;
  ~ResidencySets();

  // Keeps the buffers wired until they are removed. Each goes into the first set with room, or into
  // the smallest once the queue accepts no more sets.
  void Add(std::span<MTL::Buffer* const> buffers);
  // Ignores buffers that were never added. Destroys sets that become empty.
  void Remove(std::span<MTL::Buffer* const> buffers);

  size_t size() const;

 private:
  struct Set {
    Ref<MTL::ResidencySet> set;
    absl::flat_hash_set<MTL::Buffer*> buffers = {};
    uint64_t bytes = 0;
    bool changed = false;
  };

  // Returns nullptr if there is no set at all.
  Set* FindRoom(uint64_t bytes);
  Set* Make();
  void Commit();

  MTL::Device* device_;
  MTL::CommandQueue* queue_;
  bool available_;
  uint64_t set_bytes_;
  mutable std::mutex mutex_;
  std::vector<Set> sets_;  // guarded by mutex_, like the functions above
};

}  // namespace infer::metal
