// SPDX-License-Identifier: Apache-2.0
//
// Stores packed weights in a file, so that the next load reads them instead of packing again.
//
// The file is a header and the packed bytes, one part per weight, in an order that does not depend
// on where a Program wants them in memory. It belongs to a key: the identity of the weights, the
// layouts they are packed into and the version of the packer. A different key means a stale file, a
// wrong checksum a damaged one; in both cases the weights are packed again and the file is
// replaced.
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

  // Memory for the parts, in the order of the file.
  using Parts = std::vector<std::span<std::byte>>;

  // Fills the parts from the file. Returns kNotFound if there is none, kFailedPrecondition if it
  // was made for something else and kDataLoss if it is damaged; the contents of the parts are then
  // unspecified.
  absl::Status Load(const Parts& parts, const ParallelFor& parallel) const;

  // Writes the file under a temporary name first, so that a partial file is never visible.
  absl::Status Store(const Parts& parts, const ParallelFor& parallel) const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  uint64_t key_;
};

}  // namespace infer
