// SPDX-License-Identifier: Apache-2.0
#include "runtime/piecewise.h"

#include <numeric>

namespace infer {
namespace {

// Small enough for a smooth progress bar, large enough that threads seldom wait for the last piece.
constexpr uint64_t kBatchBytes = 32 << 20;

}  // namespace

absl::Status RunPieces(std::span<const uint64_t> piece_bytes, const PieceWork& work,
                       const std::function<void(int64_t piece)>& run,
                       const std::function<void(int64_t pieces)>& batch_done) {
  const uint64_t total = std::accumulate(piece_bytes.begin(), piece_bytes.end(), uint64_t{0});
  const int64_t count = std::ssize(piece_bytes);
  uint64_t done = 0;
  if (work.progress) work.progress(0, total);
  for (int64_t begin = 0; begin < count;) {
    uint64_t bytes = 0;
    int64_t end = begin;
    while (end < count && bytes < kBatchBytes) bytes += piece_bytes[end++];
    work.parallel(end - begin, [&](int64_t i) {
      if (!work.stopped()) run(begin + i);
    });
    if (work.stopped()) return absl::CancelledError("stopped while loading weights");
    if (batch_done) batch_done(end);
    done += bytes;
    if (work.progress) work.progress(done, total);
    begin = end;
  }
  return absl::OkStatus();
}

}  // namespace infer
