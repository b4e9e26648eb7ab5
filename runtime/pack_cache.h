// SPDX-License-Identifier: Apache-2.0
//
// Packed weights kept in a file, so that the next load reads instead of packing.
//
// The file is one header and the packed bytes, a part for each weight, in an order that does not
// depend on where a Program wants them in memory. It belongs to a key: what the weights are, which
// layouts they are packed into and by which version of the packer. Another key means a stale file,
// a wrong checksum a damaged one; both are packed again and replaced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/base/parallel_for.h"

namespace infer {

class PackCache {
 public:
  PackCache(std::string path, uint64_t key) : path_(std::move(path)), key_(key) {}

  // Memory of the parts, in the order of the file.
  using Parts = std::vector<std::span<std::byte>>;

  // Fills the parts from the file. kNotFound if there is none; kFailedPrecondition if it was made
  // for something else; kDataLoss if it is damaged. They are then whatever was read so far.
  absl::Status Load(const Parts& parts, const ParallelFor& parallel) const;

  // Writes the file beside its final name first, so that nobody ever sees half of one.
  absl::Status Store(const Parts& parts, const ParallelFor& parallel) const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  uint64_t key_;
};

}  // namespace infer
