// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "runtime/collective.h"
#include "runtime/memory_space.h"

namespace infer {

// Ranks that can have memory in common: threads of a process, processes of a host. Nothing has to
// be sent there. Each writes its part of a result to its place, with all of its threads, and meets
// the others.
class SharedRanks : public Collective {
 public:
  // A multiple of every page size.
  static constexpr uint64_t kCommonAlignment = 64 << 10;

  // Returns zeroed memory that begins with `common` bytes, a multiple of kCommonAlignment, which
  // are the same memory on all ranks; `own` bytes of this rank follow. All ranks call it with the
  // same `common`. Null: they have no memory in common.
  virtual absl::StatusOr<std::unique_ptr<SpaceMemory>> Allocate(uint64_t common, uint64_t own) = 0;
  // Whether this memory of Allocate still exists.
  virtual bool IsCommon(const std::byte* begin) const = 0;
  // Returns once all ranks have called it; all can read then what each has written before.
  virtual absl::Status Meet() = 0;

  // Where this rank has to write terms of a sum for the others to be able to read them; empty means
  // that they can read them anywhere.
  virtual std::span<std::byte> TermsRoom() = 0;
  // Returns the addresses of all ranks' terms once all of them are written. They can be read until
  // the next Meet.
  virtual absl::StatusOr<std::span<const std::byte* const>> ShareTerms(const std::byte* terms) = 0;
};

}  // namespace infer
