// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>

#include "absl/status/statusor.h"
#include "runtime/collective.h"
#include "runtime/host_memory.h"
#include "runtime/memory_space.h"

namespace infer {

// The arenas of one rank that begin with memory of all ranks.
class CommonArenas {
 public:
  // Maps `common`, which is empty if this rank could not open it, and `own` bytes after it. Returns
  // null if that did not work on all ranks; all of them call it.
  absl::StatusOr<std::unique_ptr<SpaceMemory>> Map(Collective& ranks, const HostMemory& common,
                                                   uint64_t own);
  // Whether one of them begins there.
  bool Contains(const std::byte* begin) const;

  struct Begins {
    std::mutex mutex;
    std::set<const std::byte*> set;
  };

 private:
  std::shared_ptr<Begins> begins_ = std::make_shared<Begins>();  // arenas may outlive the rank
};

}  // namespace infer
