// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace infer {

// How the ranks of a divided model exchange data: processes that each run one part of it. Every
// rank calls the same functions in the same order with the same sizes; each returns when this rank
// has its result. Used by one thread at a time, except for Abort. After an error nothing works any
// more; the caller tells the others with Abort.
class Collective {
 public:
  virtual ~Collective() = default;
  virtual int rank() const = 0;
  virtual int ranks() const = 0;

  // Receives what every rank sends, in the order of the ranks: ranks() * send.size() bytes.
  virtual absl::Status AllGather(std::span<const std::byte> send, std::byte* receive) = 0;
  // Sends part i of `send`, of `part_bytes`, to rank i, and receives its part for this rank at i.
  virtual absl::Status AllToAll(const std::byte* send, std::byte* receive, size_t part_bytes) = 0;
  // Makes `data` the same as on rank 0.
  virtual absl::Status Broadcast(std::span<std::byte> data) = 0;
  // Makes the others' current and later calls fail with this error, which names this rank.
  virtual void Abort(const absl::Status& why) = 0;
  // Says where this rank is, for the messages of others in case it does not answer.
  virtual void SetPlace(std::string place) { static_cast<void>(place); }
};

// Whether `own` is the same number on all ranks, which all call it.
absl::StatusOr<bool> IsSameOnAll(uint64_t own, Collective& ranks);

}  // namespace infer
