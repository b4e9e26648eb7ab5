// SPDX-License-Identifier: Apache-2.0
//
// Stores packed weights in a file, so that the next load reads them instead of packing again.
//
// The file is a header and the packed bytes, one part per weight, in an order that does not depend
// on where a Program wants them in memory. It belongs to a key: what is packed and how, and the
// model's files as they were then. Another key means a stale file, a wrong checksum a damaged one;
// in both cases the weights are packed again and the file is replaced.
//
// That the model's files are the same is judged by their stamps (size, inode, times), because
// hashing them takes as long as packing. A file with a new stamp (written, copied, moved, touched)
// is packed again; the hash of its weights, which packing takes on the way, then tells whether the
// packed bytes have to be written again or only the stamp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "runtime/piecewise.h"

namespace infer {

struct PackCacheKey {
  uint64_t layouts = 0;  // of the names, types and packers of the weights
  uint64_t files = 0;    // of the stamps of the model's files
};

class PackCache {
 public:
  PackCache(std::string path, PackCacheKey key) : path_(std::move(path)), key_(key) {}

  // Memory for the parts, in the order of the file.
  using Parts = std::vector<std::span<std::byte>>;

  // Fills the parts from the file. Returns kNotFound if there is none, kFailedPrecondition if it
  // was made for something else, kAborted if the model's files have or may have changed since,
  // kDataLoss if it is damaged and kCancelled if `work` was stopped; the contents of the parts are
  // then unspecified.
  absl::Status Load(const Parts& parts, const PieceWork& work) const;

  // What the parts were packed from.
  struct Source {
    uint64_t hash = 0;     // of all bytes of the weights
    bool settled = false;  // a later change of the files will change their stamps
  };

  // Writes the file under another name first, so that a partial file is never visible. Calls no
  // progress.
  absl::Status Store(const Parts& parts, const Source& source, const PieceWork& work) const;

  // Updates the stamp of a file that Load rejected with kAborted, if it was packed from the same
  // bytes; returns false if it has to be stored again.
  bool Renew(const Parts& parts, const Source& source) const;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  PackCacheKey key_;
};

}  // namespace infer
