// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "absl/status/statusor.h"
#include "runtime/collective.h"

namespace infer {

// Ranks that can read each other's memory: threads of a process, processes of a host. Nothing has
// to be received there before it is put in its place, and all threads of a rank can do that.
class SharedRanks : public Collective {
 public:
  // Whether parts of this size are better read where they are than sent. The same on all ranks.
  virtual bool Shares(size_t bytes) const = 0;
  // Where this rank has to write its next part for the others to be able to read it; nullptr means
  // that they can read it anywhere.
  virtual std::byte* PartRoom() = 0;
  // Returns the addresses of all ranks' parts once all of them are written. They can be read until
  // EndShare.
  virtual absl::StatusOr<std::span<const std::byte* const>> Share(const std::byte* part) = 0;
  virtual absl::Status EndShare() = 0;
};

}  // namespace infer
