// SPDX-License-Identifier: Apache-2.0
#include "runtime/pack_weights.h"

#include <xxhash.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "ir/base/hash.h"
#include "ir/base/status_macros.h"

namespace infer {
namespace {

// Packing is divided into pieces of about this size: small enough to split a 100 MB matrix evenly
// over many threads, large enough that the cost of dispatching one is negligible.
constexpr uint64_t kPieceBytes = 1 << 20;
// How many pieces ahead the file is read. Without this, threads wait for the disk at each page that
// is not in memory.
constexpr size_t kPiecesAhead = 32;

struct Piece {
  const PackJob* job = nullptr;
  int64_t matrix = 0;
  int64_t begin_panel = 0;
  int64_t end_panel = 0;
  uint64_t bytes = 0;  // packed
  uint64_t hash = 0;

  // The rows of the piece, given those of its matrix.
  std::span<const std::byte> RowsOf(std::span<const std::byte> rows) const {
    const uint64_t row_bytes =
        rows.size() / static_cast<uint64_t>(std::max<int64_t>(job->rows(), 1));
    const uint64_t first = static_cast<uint64_t>(begin_panel * job->layout->panel_rows);
    const uint64_t last =
        static_cast<uint64_t>(std::min(end_panel * job->layout->panel_rows, job->rows()));
    return rows.subspan(first * row_bytes, (last - first) * row_bytes);
  }
};

// Adds the pieces of one matrix of the job's weight.
void AddPieces(const PackJob& job, int64_t matrix, std::vector<Piece>* all) {
  const uint64_t bytes = job.bytes / static_cast<uint64_t>(job.matrices());
  const int64_t panels = job.panels();
  const int64_t count = std::clamp<int64_t>(static_cast<int64_t>(bytes / kPieceBytes), 1, panels);
  for (int64_t i = 0; i < count; ++i) {
    Piece piece;
    piece.job = &job;
    piece.matrix = matrix;
    piece.begin_panel = panels * i / count;
    piece.end_panel = panels * (i + 1) / count;
    piece.bytes = bytes * (i + 1) / count - bytes * i / count;
    all->push_back(piece);
  }
}

std::vector<Piece> PiecesOf(std::span<const PackJob> jobs) {
  std::vector<Piece> all;
  for (const PackJob& job : jobs) {
    for (int64_t matrix = 0; matrix < job.matrices(); ++matrix) AddPieces(job, matrix, &all);
  }
  return all;
}

uint64_t Combined(std::vector<Piece> pieces) {
  std::ranges::sort(pieces, {}, [](const Piece& piece) {
    return std::tie(piece.job->weight->name, piece.job->layout->name, piece.matrix,
                    piece.begin_panel);
  });
  Hasher all;
  for (const Piece& piece : pieces) all.Add(piece.hash);
  return all.Finish();
}

}  // namespace

absl::StatusOr<uint64_t> PackWeights(std::span<const PackJob> jobs, const WeightSource& source,
                                     const PackWeightsOptions& options, const PieceWork& work,
                                     std::span<std::byte> memory) {
  std::vector<Piece> pieces = PiecesOf(jobs);
  std::vector<uint64_t> bytes;
  for (const Piece& piece : pieces) bytes.push_back(piece.bytes);
  // Asked for when a piece is packed, because a source may have to make a copy.
  auto matrix_of = [&](const Piece& piece) {
    return source.Matrix(*source.Find(piece.job->weight->name), piece.matrix);
  };
  auto pack = [&](int64_t i) {
    Piece& piece = pieces[i];
    const PackJob& job = *piece.job;
    if (i + kPiecesAhead < pieces.size()) {
      const Piece& ahead = pieces[i + kPiecesAhead];
      source.Prefetch(ahead.RowsOf(matrix_of(ahead)));
    }
    const std::span<const std::byte> matrix = matrix_of(piece);
    const std::span<const std::byte> rows = piece.RowsOf(matrix);
    job.layout->pack(matrix.data(), job.rows(), job.columns(), piece.begin_panel, piece.end_panel,
                     memory.data() + job.offset + job.matrix_offset(piece.matrix));
    if (options.hash) piece.hash = XXH3_64bits(rows.data(), rows.size());
    if (!options.keep.contains(job.weight->name)) source.ReleasePart(rows);
  };
  // Pages that two pieces share are left.
  size_t released = 0;  // pieces whose weight was released or is kept
  auto release = [&](int64_t done) {
    for (; released < static_cast<size_t>(done); ++released) {
      const PackJob* job = pieces[released].job;
      const bool is_last = released + 1 == pieces.size() || pieces[released + 1].job != job;
      if (!is_last || options.keep.contains(job->weight->name)) continue;
      source.Release(*source.Find(job->weight->name));
    }
  };
  RETURN_IF_ERROR(RunPieces(bytes, work, pack, release));
  RETURN_IF_ERROR(source.Check());
  return options.hash ? Combined(std::move(pieces)) : 0;
}

}  // namespace infer
