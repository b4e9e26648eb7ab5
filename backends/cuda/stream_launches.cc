// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/stream_launches.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "ir/base/strings.h"

namespace infer::cuda {
namespace {

constexpr int64_t kStreamWarps = kStreamThreads / 32;

// The piece of rows that a warp reads at once; see kernels/stream.h.
struct PieceShape {
  int64_t rows, steps;
};

// `rows`: of all parts; `granule`: divides the rows of each.
PieceShape PieceOf(const WeightType& type, int64_t columns, int64_t rows, int64_t granule) {
  const int64_t units = columns / type.unit_elements, steps = CeilDiv(units, 32);
  const int64_t least = type.unit_elements == 32 ? 1 : 2;
  const int64_t warps = kStreamWarps * kMultiprocessors;
  const auto can_join = [&](int64_t together) {
    // Several rows at once only if all warps of the card have some.
    return units == 32 * steps && granule % together == 0 && rows >= together * warps * 3 / 4;
  };
  // A unit of x takes twice the bytes of one of f16: it is read once for four rows where a warp has
  // no more (a multiprocessor has the warps of two blocks), and all are on their way at once.
  if (type.dtype == DType::kF16 && steps == 4 && can_join(4) && rows <= 2 * 4 * warps) {
    return {4, steps};
  }
  for (int64_t together : {4, 2}) {
    if (steps * together == 4 * least && can_join(together)) return {together, steps};
  }
  return {1, steps == 3 * least ? steps : 4};
}

uint64_t UnitBytes(const WeightType& type) {
  return static_cast<uint64_t>(16 + type.high_bytes + (IsPacked(type) ? 4 : 0) +
                               (type.has_supers ? 4 : 0));
}

// Adds nothing and returns false if a block of the card has too little shared memory for it.
bool AddStream(const WeightType& type, const Product& product, std::span<const int> group,
               uint64_t max_shared_bytes, std::vector<Launch>& out) {
  StreamArgs args = {};
  int64_t rows = 0, granule = 0;
  for (int i : group) {
    rows += product.weights[i].rows();
    granule = std::gcd(granule, product.weights[i].rows());
  }
  // Rows of gate and up are read together.
  const PieceShape piece =
      PieceOf(type, product.columns(), rows, product.gated ? 2 * granule : granule);
  const int64_t weights_of_output = product.gated ? 2 : 1;
  const int64_t outputs = std::max<int64_t>(piece.rows / weights_of_output, 1);
  // Two blocks for each multiprocessor.
  const int64_t warps = 2 * kMultiprocessors * kStreamWarps;
  const int64_t of_warp = CeilDiv(CeilDiv(rows / weights_of_output, warps), outputs) * outputs;
  uint32_t blocks = 0, number = 0;
  for (int i : group) {
    PartArgs& part = args.parts[number++];
    const TensorView& weight = product.weights[i];
    part.weight = WeightArgsOf(type, weight.data, weight.rows(), weight.columns());
    part.out = product.results[product.gated ? 0 : i].mutable_f32();
    part.rows = static_cast<uint32_t>(weight.rows());
    part.first_block = blocks;
    if (!product.gated || number == 1) blocks += CeilDiv(weight.rows(), of_warp * kStreamWarps);
  }
  for (; number < kMaxParts; ++number) args.parts[number].first_block = blocks;
  const StreamMemory memory = StreamMemoryOf(type, product.columns(), product.norm != nullptr);
  args.x = product.x.f32();
  args.norm = product.norm;
  args.residual = product.residual;
  args.columns = static_cast<uint32_t>(product.columns());
  args.rows_of_warp = static_cast<uint32_t>(of_warp);
  args.eps = product.eps;
  args.inverse_columns = 1.0f / static_cast<float>(product.columns());
  args.norm_offset = static_cast<uint32_t>(memory.norm_offset);
  args.ring_offset = static_cast<uint32_t>(memory.ring_offset);
  const int64_t steps = CeilDiv(product.columns(), 32 * type.unit_elements);
  const int64_t pieces = CeilDiv(of_warp * weights_of_output, piece.rows) *
                         static_cast<int64_t>(CeilDiv(steps, piece.steps));
  const int64_t stages = std::min<int64_t>(pieces, kStreamStages);
  const uint64_t ring =
      static_cast<uint64_t>(stages * piece.rows * piece.steps) * UnitBytes(type) * kStreamThreads;
  if (memory.ring_offset + ring > max_shared_bytes) return false;
  AddLaunch(type.module,
            StrCat("stream_", type.name, "_r", piece.rows, "s", piece.steps,
                   product.gated ? "_gated" : ""),
            args, {blocks}, kStreamThreads, memory.ring_offset + ring, out);
  return true;
}

}  // namespace

StreamMemory StreamMemoryOf(const WeightType& type, int64_t columns, bool normed) {
  const uint64_t x = IsPacked(type) ? Int8Bytes(1, columns) : FloatBytes(1, columns);
  const uint64_t norm_offset = kStreamScratchBytes + Aligned(x);
  return {norm_offset, norm_offset + (normed ? FloatBytes(1, columns) : 0)};
}

bool AddStreams(const Product& product, uint64_t max_shared_bytes, std::vector<Launch>& out) {
  if (product.tokens() != 1 || product.columns() % 64 != 0) return false;
  const size_t before = out.size();
  bool all = true;
  ForEachGroup(product, [&](const WeightType& type, const auto& group) {
    all = all && AddStream(type, product, group, max_shared_bytes, out);
  });
  if (!all) out.resize(before);
  return all;
}

}  // namespace infer::cuda
