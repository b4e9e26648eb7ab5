// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/expert_products.h"

#include <algorithm>
#include <limits>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/levels/choose_level.h"
#include "backends/simd/linear.h"
#include "backends/simd/memory_sizes.h"
#include "ir/graph/plan.h"
#include "runtime/backend.h"

namespace infer::simd {
namespace {

// Floats of a thread's tile for one weight: a third of the nearest caches together with the weights
// of a granule.
constexpr int64_t kTileFloats = 16384;
// Ids that nobody checked may give one expert all rows of a call.
int64_t TileFloats(int64_t rows) { return std::max(kTileFloats, rows * kColumnGranule); }

uint64_t StrideOf(const LinearKernel& kernel, const TensorType& weight) {
  const int64_t rows = weight.dim(1).value(), columns = weight.dim(2).value();
  if (kernel.pack != nullptr) return PackedStride(kernel.packed_bytes(rows, columns));
  return static_cast<uint64_t>(rows) * formats::RowBytes(weight.dtype, columns);
}

}  // namespace

std::shared_ptr<const void> BindExperts(const Node& node, LinearKind kind) {
  auto bound = std::make_shared<BoundExperts>();
  bound->makers = ChosenLevel().level->makers;
  bound->vector = ChosenLevel().level->vector;
  const LinearKind few = kind == LinearKind::kTiles ? LinearKind::kFast : kind;
  for (int i = 1; i < node.op().traits.expert_input; ++i) {
    const TensorType& weight = node.input(i).type().tensor;
    const LinearKernel* kernel = KernelFor(weight.dtype, few);
    bound->weights.push_back({kernel, KernelFor(weight.dtype, kind), StrideOf(*kernel, weight)});
  }
  return bound;
}

ExpertProducts::ExpertProducts(const KernelArgs& args)
    : args_(args),
      bound_(args.constants<BoundExperts>()),
      ids_(args.in(static_cast<int>(args.inputs.size()) - 1)),
      rows_(ids_, args.in(1).dim(0)),
      inner_(args.in(0).columns()),
      outputs_(args.in(1).dim(1)),
      shared_(ids_.dim(0) == 1 && args.in(0).rank == 2 &&
              rows_.active() == rows_.first(rows_.experts())),
      units_(rows_, (outputs_ + kColumnGranule - 1) / kColumnGranule) {
  if (!shared_) DivideMemory();
}

const LinearKernel& ExpertProducts::KernelOf(int i, int64_t rows) const {
  const BoundExperts::Weight& weight = bound_.weights[i];
  return rows >= kTileMinRows ? *weight.many : *weight.few;
}

void ExpertProducts::Run(int64_t begin, int64_t end) const {
  int32_t* places = Places();
  rows_.Sort(places);
  if (begin == 0) FillUnknown(places);
  const ExpertItem last = units_.First(end);
  for (ExpertItem at = units_.First(begin); at.expert <= last.expert; at = {at.expert + 1, 0}) {
    if (at.expert == rows_.experts() || rows_.rows(at.expert) == 0) continue;
    const int64_t stop =
        at.expert == last.expert ? std::min(last.granule * kColumnGranule, outputs_) : outputs_;
    const int64_t start = at.granule * kColumnGranule;
    if (start < stop) RunColumns(at.expert, start, stop, places + rows_.first(at.expert));
  }
}

// A single row is long enough for a stream of weights; many rows are cut to fit the tile.
void ExpertProducts::RunColumns(int64_t expert, int64_t begin, int64_t end,
                                const int32_t* places) const {
  const int64_t rows = rows_.rows(expert);
  const int64_t columns =
      std::max(kColumnGranule, kTileFloats / rows / kColumnGranule * kColumnGranule);
  for (int64_t at = begin; at < end; at += columns) {
    const int64_t stop = std::min(end, at + columns);
    if (rows == 1 && num_weights() == 1) {
      Multiply(0, expert, at, stop, args_.out().mutable_f32() + places[0] * outputs_, outputs_);
      continue;
    }
    // A product writes the columns of the whole result: it is told where column 0 would be.
    for (int i = 0; i < num_weights(); ++i) {
      Multiply(i, expert, at, stop, Tiles() + i * TileFloats(rows_.total()) - at, columns);
    }
    Distribute(rows, columns, at, stop - at, places);
  }
}

void ExpertProducts::Multiply(int i, int64_t expert, int64_t begin, int64_t end, float* out,
                              int64_t stride) const {
  const int64_t rows = rows_.rows(expert);
  const LinearKernel& kernel = KernelOf(i, rows);
  const ActivationForm form = FormOf(i, rows);
  const int64_t parts = kernel.row_parts == nullptr ? 1 : kernel.row_parts(rows, inner_);
  const std::byte* activations = form == ActivationForm::kF32
                                     ? reinterpret_cast<const std::byte*>(Gathered(expert))
                                     : ExpertMemory(expert) + FormOffset(i, rows);
  for (int64_t part = 0; part < parts; ++part) {
    // Parts begin at multiples of 16, which every form of the activations can begin with.
    const int64_t first = rows * part / parts / 16 * 16;
    const int64_t last = part + 1 == parts ? rows : rows * (part + 1) / parts / 16 * 16;
    const uint64_t offset = first == 0 ? 0
                            : form == ActivationForm::kF32
                                ? FloatBytes(first * inner_)
                                : bound_.makers[static_cast<int>(form)].bytes(first, inner_);
    kernel.run({.weight = weight(i).data + bound_.weights[i].stride * expert,
                .inner = inner_,
                .outputs = outputs_,
                .tokens = last - first,
                .activations = activations + offset,
                .out = out + first * stride,
                .out_stride = stride,
                .scratch = args_.scratch},
               begin, end);
  }
}

// `count` columns from `begin`; a row of the tiles has `stride` elements.
void ExpertProducts::Distribute(int64_t rows, int64_t stride, int64_t begin, int64_t count,
                                const int32_t* places) const {
  const float* tile = Tiles();
  const float* up = tile + TileFloats(rows_.total());
  for (int64_t i = 0; i < rows; ++i) {
    float* out = args_.out().mutable_f32() + places[i] * outputs_ + begin;
    if (num_weights() == 1) {
      std::copy_n(tile + i * stride, count, out);
    } else {
      bound_.vector->swiglu(tile + i * stride, up + i * stride, count, out);
    }
  }
}

void ExpertProducts::FillUnknown(const int32_t* places) const {
  for (int64_t i = rows_.first(rows_.experts()); i < rows_.total(); ++i) {
    std::fill_n(args_.out().mutable_f32() + places[i] * outputs_, outputs_,
                std::numeric_limits<float>::quiet_NaN());
  }
}

// A thread's memory: that of the products, the places, room for the columns before a tile, tiles.
int32_t* ExpertProducts::Places() const {
  return reinterpret_cast<int32_t*>(args_.scratch + LinearScratchBound(inner_));
}

float* ExpertProducts::Tiles() const {
  const uint64_t places = AlignUp(FloatBytes(rows_.total()), kSlotAlignment);
  const uint64_t before = AlignUp(FloatBytes(outputs_), kSlotAlignment);
  return reinterpret_cast<float*>(args_.scratch + LinearScratchBound(inner_) + places + before);
}

uint64_t ExpertScratchBytes(const Node& node, const SymbolRanges& symbols) {
  const ValueType& ids = node.input(node.op().traits.expert_input).type();
  const TensorType& weight = node.input(1).type().tensor;
  const int64_t rows = ids.dim(0).At(symbols.Highest()) * ids.dim(1).value();
  const int num_weights = node.op().traits.expert_input - 1;
  return LinearScratchBound(weight.dim(2).value()) + AlignUp(FloatBytes(rows), kSlotAlignment) +
         AlignUp(FloatBytes(weight.dim(1).value()), kSlotAlignment) +
         FloatBytes(num_weights * TileFloats(rows));
}

}  // namespace infer::simd
