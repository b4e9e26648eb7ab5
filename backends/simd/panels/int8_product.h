// SPDX-License-Identifier: Apache-2.0
//
// Products of panels with activations in int8. Every column adds its groups in ascending order:
// the group's integer sum times the weight's scale, rounded, times the row's scale by a fused
// multiply-add. So a row has the same bits whatever rows are computed with it.
#pragma once

#include "backends/simd/isa/linear_kernel.h"
#include "backends/simd/panels/pack_panels.h"
#include "backends/simd/panels/panel_scales.h"
#include "backends/simd/panels/panel_tiles.h"
#include "backends/simd/rows/int8_rows.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

// Panels of any format with a byte for each number and scales in f32, as many rows want them. Where
// any bytes are multiplied equally fast, formats with groups of one size share a form: with a
// minimum the numbers as they are, without one what they stand for plus kSignedOffset.
constexpr PanelFormat BytesOf(PanelFormat format) {
  format.low_bits = 8;
  format.high_bits = 0;
  format.scales = PanelScales::kFloat;
  format.table = nullptr;
  if (kAnyBytesAlike) {
    format.largest = 255;
    if (!format.has_min) {
      format.is_signed = kSignedOffset == 0;
      format.offset = kSignedOffset;
    }
  }
  return format;
}

template <PanelFormat kFormat, int kStep>
[[gnu::always_inline]] inline void ExpandSteps(const std::byte* half, std::byte* to) {
  constexpr int kShift = BytesOf(kFormat).offset - kFormat.offset;
  Bytes64 numbers = NumbersAt<kFormat, kStep>(half);
  if constexpr (kShift != 0) numbers = Shift64(numbers, kShift);
  StoreBytes64(to + kStep * 64, numbers);
  if constexpr (kStep + 1 < kChunkSteps) ExpandSteps<kFormat, kStep + 1>(half, to);
}

template <PanelFormat kFormat>
void ExpandPanel(const std::byte* panel, int64_t inner, std::byte* to) {
  constexpr PanelFormat kBytes = BytesOf(kFormat);
  constexpr int64_t kSets = kFormat.has_min ? 2 : 1;
  const PanelHeader<kFormat> header(panel, inner);
  float* scales = reinterpret_cast<float*>(to);
  for (int64_t group = 0; group < inner / kFormat.group; ++group) {
    for (int set = 0; set < kSets; ++set, scales += kPanelColumns) {
      Store16(scales, header.At(group, 0, set));
      Store16(scales + kHalfColumns, header.At(group, 1, set));
    }
  }
  const std::byte* half = panel + kFormat.HeaderBytes(inner);
  to += kBytes.HeaderBytes(inner);
  for (int64_t i = 0; i < inner / kChunkElements * 2; ++i) {
    for (int64_t at = 0; at < kFormat.HalfBytes(); at += 64) FetchAhead(half + kFetchBytes + at);
    ExpandSteps<kFormat, 0>(half, to);
    half += kFormat.HalfBytes();
    to += kBytes.HalfBytes();
  }
}

// The product of kRows rows with kHalves halves of a panel, from half `first` on.
template <PanelFormat kFormat, int kRows, int kHalves>
struct Int8Tile {
  static constexpr int kGroups = kChunkElements / kFormat.group;
  static constexpr int kGroupSteps = kChunkSteps / kGroups;
  static constexpr int kOffset = kFormat.is_signed ? kSignedOffset : kFormat.offset;
  using Dots = Dots16<kFormat.is_signed, kFormat.largest, kGroupSteps>;

  Int8Row rows[kRows];
  int first;
  Floats16 sums[kRows][kHalves];

  template <int kStep, int kEnd>
  [[gnu::always_inline]] inline void AddSteps(const std::byte* chunk, int64_t c,
                                              Dots (&dots)[kRows][kHalves]) const {
    for (int h = 0; h < kHalves; ++h) {
      const Weights64<kFormat.is_signed> w(
          NumbersAt<kFormat, kStep>(chunk + (first + h) * kFormat.HalfBytes()));
      for (int r = 0; r < kRows; ++r) {
        dots[r][h].template Add<kStep>(w, rows[r].quants + c * kChunkElements);
      }
    }
    if constexpr (kStep + 1 < kEnd) AddSteps<kStep + 1, kEnd>(chunk, c, dots);
  }

  template <int kGroup>
  [[gnu::always_inline]] inline void AddGroups(const PanelHeader<kFormat>& header,
                                               const std::byte* chunk, int64_t c) {
    const int64_t group = c * kGroups + kGroup;
    Dots dots[kRows][kHalves];
    for (int r = 0; r < kRows; ++r) {
      const int32_t* counts = kGroups == 1 ? rows[r].quant_sums : rows[r].quant_sums_of_16;
      for (int h = 0; h < kHalves; ++h)
        dots[r][h].Start(kOffset == 0 ? 0 : -kOffset * counts[group]);
    }
    AddSteps<kGroup * kGroupSteps, (kGroup + 1) * kGroupSteps>(chunk, c, dots);
    for (int h = 0; h < kHalves; ++h) {
      const Floats16 scale = header.At(group, first + h, 0);
      for (int r = 0; r < kRows; ++r) {
        sums[r][h] = Fma16(Mul16(dots[r][h].Total(), scale), Set16(rows[r].scales[c]), sums[r][h]);
      }
      if constexpr (kFormat.has_min) {
        const Floats16 min = header.At(group, first + h, 1);
        for (int r = 0; r < kRows; ++r) {
          const float* x_sums = kGroups == 1 ? rows[r].sums : rows[r].sums_of_16;
          sums[r][h] = Fma16(min, Set16(x_sums[group]), sums[r][h]);
        }
      }
    }
    if constexpr (kGroup + 1 < kGroups) AddGroups<kGroup + 1>(header, chunk, c);
  }

  [[gnu::always_inline]] inline void Run(const std::byte* panel, int64_t inner, bool fetch) {
    const PanelHeader<kFormat> header(panel, inner);
    const std::byte* chunk = panel + kFormat.HeaderBytes(inner);
    for (auto& row : sums) {
      for (Floats16& sum : row) sum = Set16(0);
    }
    for (int64_t c = 0; c < inner / kChunkElements; ++c, chunk += kFormat.ChunkBytes()) {
      if (fetch) {
        for (int64_t at = 0; at < kFormat.ChunkBytes(); at += 64) {
          FetchAhead(chunk + kFetchBytes + at);
        }
      }
      AddGroups<0>(header, chunk, c);
    }
  }
};

template <PanelFormat kFormat>
struct Int8Product {
  // Unpacking numbers and scales once pays off when more than one tile of rows would do it: 8 rows
  // of Q6_K on a Neoverse N1 run at 41 instead of 37 GOP/s, 64 rows at 53 instead of 38.
  static constexpr bool kExpands = kFormat.low_bits < 8;
  using OfBytes = Int8Product<BytesOf(kFormat)>;
  static void Expand(const std::byte* panel, int64_t inner, std::byte* to) {
    ExpandPanel<kFormat>(panel, inner, to);
  }

  template <int kRows, int kHalves>
  static void Run(const LinearCall& call, const std::byte* panel, int64_t token, int first,
                  bool fetch, const PanelOut& out) {
    Int8Tile<kFormat, kRows, kHalves> tile;
    for (int r = 0; r < kRows; ++r) {
      tile.rows[r] = Int8RowAt(call.activations, call.inner, token + r);
    }
    tile.first = first;
    tile.Run(panel, call.inner, fetch);
    StoreTile(tile.sums, token, first, out);
  }
};

ActivationForm Int8RowsForm(int64_t) { return ActivationForm::kInt8Rows; }
std::string_view Int8Numerics(int64_t, int64_t) { return "int8x32"; }

template <PanelFormat kFormat>
uint64_t ExpandedBytes(int64_t, int64_t inner) {
  return static_cast<uint64_t>(BytesOf(kFormat).PanelBytes(inner));
}

template <DType kType>
constexpr LinearKernel Int8PanelKernel() {
  constexpr PanelFormat kFormat = FormatOf<kType>();
  LinearKernel kernel;
  kernel.layout = kQuantPanelLayout;
  kernel.panel_outputs = kPanelColumns;
  kernel.packed_bytes = PackedPanelBytes<kType>;
  kernel.pack = PackPanels<kType>;
  kernel.form = Int8RowsForm;
  if constexpr (Int8Product<kFormat>::kExpands) kernel.scratch_bytes = ExpandedBytes<kFormat>;
  kernel.run = MultiplyPanels<Int8Product<kFormat>, kType, Int8RowBytes>;
  kernel.numerics = Int8Numerics;
  return kernel;
}

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
