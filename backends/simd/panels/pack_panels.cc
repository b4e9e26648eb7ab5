// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/panels/pack_panels.h"

#include <algorithm>
#include <cstring>

#include "backends/formats/dequantize_row.h"
#include "backends/formats/k_blocks.h"
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"
#include "backends/simd/panels/block_words.h"
#include "backends/simd/panels/panel_formats.h"

namespace infer::simd {
namespace {

template <DType kType>
struct BlockOf;
template <>
struct BlockOf<DType::kQ8_0> {
  using Type = formats::BlockQ8_0;
};
template <>
struct BlockOf<DType::kQ4_0> {
  using Type = formats::BlockQ4_0;
};
template <>
struct BlockOf<DType::kQ4_1> {
  using Type = formats::BlockQ4_1;
};
template <>
struct BlockOf<DType::kQ5_0> {
  using Type = formats::BlockQ5_0;
};
template <>
struct BlockOf<DType::kQ5_1> {
  using Type = formats::BlockQ5_1;
};
template <>
struct BlockOf<DType::kQ2_K> {
  using Type = formats::BlockQ2_K;
};
template <>
struct BlockOf<DType::kQ3_K> {
  using Type = formats::BlockQ3_K;
};
template <>
struct BlockOf<DType::kQ4_K> {
  using Type = formats::BlockQ4_K;
};
template <>
struct BlockOf<DType::kQ5_K> {
  using Type = formats::BlockQ5_K;
};
template <>
struct BlockOf<DType::kQ6_K> {
  using Type = formats::BlockQ6_K;
};
template <>
struct BlockOf<DType::kIQ4_NL> {
  using Type = formats::BlockIQ4_NL;
};
template <>
struct BlockOf<DType::kIQ4_XS> {
  using Type = formats::BlockIQ4_XS;
};
template <>
struct BlockOf<DType::kMXFP4> {
  using Type = formats::BlockMXFP4;
};

// The scales of one block: halves as in the file, and factors of its groups.
struct Scales {
  uint16_t scale = 0;
  uint16_t min = 0;
  float wide = 0;  // of MXFP4
  int8_t scales[16] = {};
  int8_t mins[16] = {};
};

// Q4_K and Q5_K subtract their minima, the panels add them: the sign bit is turned.
constexpr uint16_t Negated(formats::HalfBits half) {
  return static_cast<uint16_t>(half.bits() ^ 0x8000u);
}

template <class Block>
Scales ScalesOf(const Block& block) {
  Scales s;
  if constexpr (requires { block.scale; }) s.scale = block.scale.bits();
  if constexpr (requires { block.exponent; }) s.wide = formats::Mxfp4Scale(block.exponent);
  if constexpr (requires { block.min; }) {
    s.min = Block::kElements == 256 ? Negated(block.min) : block.min.bits();
  }
  if constexpr (requires { UnpackScales(block, s.scales); }) UnpackScales(block, s.scales);
  return s;
}
Scales ScalesOf(const formats::BlockQ2_K& block) {
  Scales s = {.scale = block.scale.bits(), .min = Negated(block.min)};
  for (int i = 0; i < 16; ++i) {
    s.scales[i] = static_cast<int8_t>(block.scales_and_mins[i] & 15);
    s.mins[i] = static_cast<int8_t>(block.scales_and_mins[i] >> 4);
  }
  return s;
}
template <class Block>
Scales ScalesAndMins(const Block& block) {
  Scales s = {.scale = block.scale.bits(), .min = Negated(block.min)};
  uint8_t scales[8], mins[8];
  formats::UnpackScalesAndMins(block.scales_and_mins, scales, mins);
  for (int i = 0; i < 8; ++i) {
    s.scales[i] = static_cast<int8_t>(scales[i]);
    s.mins[i] = static_cast<int8_t>(mins[i]);
  }
  return s;
}
Scales ScalesOf(const formats::BlockQ4_K& block) { return ScalesAndMins(block); }
Scales ScalesOf(const formats::BlockQ5_K& block) { return ScalesAndMins(block); }
Scales ScalesOf(const formats::BlockQ6_K& block) {
  Scales s = {.scale = block.scale.bits()};
  std::copy_n(block.scales, 16, s.scales);
  return s;
}

// Puts kBits of each number, from bit kFrom on, into planes of one column; `at` is its place in the
// first of them.
template <int kBits, int kFrom>
void PutBits(const uint32_t* words, std::byte* at) {
  constexpr int kStepsInPlane = 8 / kBits;
  for (int plane = 0; plane < kBits; ++plane, at += 64) {
    uint32_t all = 0;
    for (int i = 0; i < kStepsInPlane; ++i) {
      all |= BitsOfBytes<kBits>(words[plane * kStepsInPlane + i], kFrom) << (i * kBits);
    }
    std::memcpy(at, &all, 4);
  }
}

// The same in the order of matrix instructions, for a column of a quad. A byte has bits of other
// columns too.
template <int kBits, int kFrom>
void PutEights(const uint32_t* words, int64_t column, std::byte* at) {
  constexpr int kStepsInPlane = 8 / kBits;
  for (int64_t word = 0; word < kChunkSteps; ++word) {
    const int64_t step = word / 2 * 2 + column / 2;
    std::byte* to = at + step / kStepsInPlane * 64 + column % 2 * 8 + word % 2 * 4;
    uint32_t all = BitsOfBytes<kBits>(words[word], kFrom) << (step % kStepsInPlane * kBits);
    if constexpr (kStepsInPlane > 1) {
      uint32_t others;
      std::memcpy(&others, to, 4);
      all |= others;
    }
    std::memcpy(to, &all, 4);
  }
}

template <PanelFormat kFormat>
void PutScales(const Scales& s, int64_t block, int64_t inner, int64_t column, std::byte* header) {
  constexpr int64_t kSets = kFormat.has_min ? 2 : 1;
  if constexpr (kFormat.scales == PanelScales::kFloat) {
    std::memcpy(header + (block * kPanelColumns + column) * 4, &s.wide, 4);
  } else {
    const uint16_t halves[2] = {s.scale, s.min};
    for (int64_t set = 0; set < kSets; ++set) {
      std::memcpy(header + ((block * kSets + set) * kPanelColumns + column) * 2, &halves[set], 2);
    }
  }
  if constexpr (kFormat.scales == PanelScales::kSuper) {
    constexpr int64_t kGroups = kSuperElements / kFormat.group;
    const int8_t* factors[2] = {s.scales, s.mins};
    std::byte* at = header + kFormat.SuperBytes(inner) + column;
    for (int64_t g = 0; g < kGroups; ++g) {
      for (int64_t set = 0; set < kSets; ++set) {
        at[((block * kGroups + g) * kSets + set) * kPanelColumns] =
            static_cast<std::byte>(factors[set][g]);
      }
    }
  }
}

// Packs one block of one row.
template <DType kType, PanelOrder kOrder, class Block>
void PackBlock(const Block& block, int64_t b, int64_t inner, int64_t column, std::byte* panel) {
  static constexpr PanelFormat kFormat = FormatOf<kType>();
  constexpr int64_t kChunks = Block::kElements / kChunkElements;
  PutScales<kFormat>(ScalesOf(block), b, inner, column, panel);
  uint32_t words[Block::kElements / 4];
  WordsOf(block, words);
  std::byte* chunk = panel + kFormat.HeaderBytes(inner) + b * kChunks * kFormat.ChunkBytes() +
                     column / kHalfColumns * kFormat.HalfBytes();
  std::byte* high = chunk + 64 * kFormat.low_bits;
  const int64_t quad = column % kHalfColumns / 4 * 16, in_quad = column % 4;
  for (int64_t c = 0; c < kChunks; ++c) {
    const uint32_t* of_chunk = words + c * kChunkSteps;
    if constexpr (kOrder == PanelOrder::kEights) {
      if constexpr (IsSignedNibbles(kFormat)) {
        for (int64_t i = 0; i < kChunkSteps; ++i) words[c * kChunkSteps + i] ^= 0x08080808;
      }
      PutEights<kFormat.low_bits, 0>(of_chunk, in_quad, chunk + quad);
      if constexpr (kFormat.high_bits > 0) {
        PutEights<kFormat.high_bits, kFormat.low_bits>(of_chunk, in_quad, high + quad);
      }
    } else {
      PutBits<kFormat.low_bits, 0>(of_chunk, chunk + quad + 4 * in_quad);
      if constexpr (kFormat.high_bits > 0) {
        PutBits<kFormat.high_bits, kFormat.low_bits>(of_chunk, high + quad + 4 * in_quad);
      }
    }
    chunk += kFormat.ChunkBytes();
    high += kFormat.ChunkBytes();
  }
}

template <DType kType>
constexpr bool kIsFloat = kType == DType::kF32 || kType == DType::kF16 || kType == DType::kBF16;

// Elements of a row that are packed before the next row: few enough that the bytes of the panel
// that they fill stay in the nearest cache, many enough to read rows in long stretches.
constexpr int64_t kRunElements = 1024;

template <DType kType, PanelOrder kOrder>
void PackQuants(const std::byte* rows, int64_t inner, int64_t columns, std::byte* panel) {
  using Block = typename BlockOf<kType>::Type;
  const Block* blocks = reinterpret_cast<const Block*>(rows);
  const int64_t row_blocks = inner / Block::kElements;
  constexpr int64_t kRun = kRunElements / Block::kElements;
  for (int64_t begin = 0; begin < row_blocks; begin += kRun) {
    const int64_t end = std::min(begin + kRun, row_blocks);
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t b = begin; b < end; ++b) {
        PackBlock<kType, kOrder>(blocks[column * row_blocks + b], b, inner, column, panel);
      }
    }
  }
}

constexpr int64_t kFloatRun = 128;  // the same for floats

template <class Element, int64_t kTogether>
void PackFloats(const std::byte* rows, int64_t inner, int64_t columns, std::byte* panel) {
  const Element* row = reinterpret_cast<const Element*>(rows);
  Element* to = reinterpret_cast<Element*>(panel);
  for (int64_t begin = 0; begin < inner; begin += kFloatRun) {
    const int64_t end = std::min(begin + kFloatRun, inner);
    for (int64_t column = 0; column < columns; ++column) {
      for (int64_t i = begin; i < end; ++i) {
        to[(i / kTogether * kPanelColumns + column) * kTogether + i % kTogether] =
            row[column * inner + i];
      }
    }
  }
}

}  // namespace

template <DType kType>
uint64_t PackedPanelBytes(int64_t outputs, int64_t inner) {
  const int64_t panels = (outputs + kPanelColumns - 1) / kPanelColumns;
  return static_cast<uint64_t>(panels * PanelBytesOf<kType>(inner));
}

template <DType kType, PanelOrder kOrder>
void PackPanels(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin, int64_t end,
                std::byte* packed) {
  const int64_t panel_bytes = PanelBytesOf<kType>(inner);
  const int64_t row_bytes = formats::RowBytes(kType, inner);
  for (int64_t p = begin; p < end; ++p) {
    std::byte* panel = packed + p * panel_bytes;
    const std::byte* from = rows + p * kPanelColumns * row_bytes;
    const int64_t columns = std::min(kPanelColumns, outputs - p * kPanelColumns);
    // The padding: columns past the last, and the second element of an odd last pair. Eights are
    // put together from bits of several columns.
    if (columns < kPanelColumns || kIsFloat<kType> || kOrder == PanelOrder::kEights) {
      std::memset(panel, 0, panel_bytes);
    }
    if constexpr (kType == DType::kF32) {
      PackFloats<uint32_t, 1>(from, inner, columns, panel);
    } else if constexpr (kIsFloat<kType>) {
      PackFloats<uint16_t, kType == DType::kBF16 ? 2 : 1>(from, inner, columns, panel);
    } else {
      PackQuants<kType, kOrder>(from, inner, columns, panel);
    }
  }
}

#define INFER_INSTANTIATE(type)                                                                 \
  template uint64_t PackedPanelBytes<DType::type>(int64_t, int64_t);                            \
  template void PackPanels<DType::type, PanelOrder::kFours>(const std::byte*, int64_t, int64_t, \
                                                            int64_t, int64_t, std::byte*);
INFER_INSTANTIATE(kF32)
INFER_INSTANTIATE(kF16)
INFER_INSTANTIATE(kBF16)
#undef INFER_INSTANTIATE
#define INFER_INSTANTIATE(type)                                                                  \
  template uint64_t PackedPanelBytes<DType::type>(int64_t, int64_t);                             \
  template void PackPanels<DType::type, PanelOrder::kFours>(const std::byte*, int64_t, int64_t,  \
                                                            int64_t, int64_t, std::byte*);       \
  template void PackPanels<DType::type, PanelOrder::kEights>(const std::byte*, int64_t, int64_t, \
                                                             int64_t, int64_t, std::byte*);
INFER_INSTANTIATE(kQ8_0)
INFER_INSTANTIATE(kQ4_0)
INFER_INSTANTIATE(kQ4_1)
INFER_INSTANTIATE(kQ5_0)
INFER_INSTANTIATE(kQ5_1)
INFER_INSTANTIATE(kQ2_K)
INFER_INSTANTIATE(kQ3_K)
INFER_INSTANTIATE(kQ4_K)
INFER_INSTANTIATE(kQ5_K)
INFER_INSTANTIATE(kQ6_K)
INFER_INSTANTIATE(kIQ4_NL)
INFER_INSTANTIATE(kIQ4_XS)
INFER_INSTANTIATE(kMXFP4)
#undef INFER_INSTANTIATE

}  // namespace infer::simd
