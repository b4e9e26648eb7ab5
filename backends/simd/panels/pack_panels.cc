// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/panels/pack_panels.h"

#include <algorithm>
#include <cstring>

#include "backends/formats/dequantize_row.h"
#include "backends/formats/k_blocks.h"
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"
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

// The numbers of a block as the planes hold them.
template <DType kType, class Block>
void NumbersOf(const Block& block, uint8_t* numbers) {
  if constexpr (FormatOf<kType>().table != nullptr) {
    for (int i = 0; i < Block::kElements; ++i) {
      const uint8_t two = block.indices[i / 32 * 16 + i % 16];
      numbers[i] = i % 32 < 16 ? two & 15 : two >> 4;
    }
  } else if constexpr (kType == DType::kQ8_0) {
    std::memcpy(numbers, block.quants, Block::kElements);
  } else {
    int8_t quants[Block::kElements];
    UnpackQuants(block, quants);
    for (int i = 0; i < Block::kElements; ++i) {
      numbers[i] = static_cast<uint8_t>(quants[i] + FormatOf<kType>().offset);
    }
  }
}

// Puts kBits of each number, from bit kFrom on, into planes of one column; `at` is its place in the
// first of them.
template <int kBits, int kFrom>
void PutBits(const uint8_t* numbers, std::byte* at) {
  constexpr uint32_t kMask = ((1u << kBits) - 1) * 0x01010101u;
  constexpr int kStepsInPlane = 8 / kBits;
  for (int plane = 0; plane < kBits; ++plane, at += 64) {
    uint32_t all = 0;
    for (int i = 0; i < kStepsInPlane; ++i) {
      uint32_t four;
      std::memcpy(&four, numbers + (plane * kStepsInPlane + i) * 4, 4);
      all |= (four >> kFrom & kMask) << (i * kBits);
    }
    std::memcpy(at, &all, 4);
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

template <DType kType>
void PackColumn(const std::byte* row, int64_t inner, int64_t column, std::byte* panel) {
  static constexpr PanelFormat kFormat = FormatOf<kType>();
  using Block = typename BlockOf<kType>::Type;
  constexpr int64_t kChunks = Block::kElements / kChunkElements;
  const Block* blocks = reinterpret_cast<const Block*>(row);
  std::byte* chunk = panel + kFormat.HeaderBytes(inner) +
                     column / kHalfColumns * kFormat.HalfBytes() + column % kHalfColumns * 4;
  for (int64_t b = 0; b < inner / Block::kElements; ++b) {
    PutScales<kFormat>(ScalesOf(blocks[b]), b, inner, column, panel);
    uint8_t numbers[Block::kElements];
    NumbersOf<kType>(blocks[b], numbers);
    for (int64_t c = 0; c < kChunks; ++c, chunk += kFormat.ChunkBytes()) {
      PutBits<kFormat.low_bits, 0>(numbers + c * kChunkElements, chunk);
      if constexpr (kFormat.high_bits > 0) {
        PutBits<kFormat.high_bits, kFormat.low_bits>(numbers + c * kChunkElements,
                                                     chunk + 64 * kFormat.low_bits);
      }
    }
  }
}

template <DType kType>
constexpr bool kIsFloat = kType == DType::kF32 || kType == DType::kF16 || kType == DType::kBF16;

template <DType kType>
void PackQuants(const std::byte* rows, int64_t inner, int64_t columns, std::byte* panel) {
  using Block = typename BlockOf<kType>::Type;
  const int64_t row_bytes = inner / Block::kElements * static_cast<int64_t>(sizeof(Block));
  for (int64_t column = 0; column < columns; ++column) {
    PackColumn<kType>(rows + column * row_bytes, inner, column, panel);
  }
}

template <class Element>
void PackFloats(const std::byte* rows, int64_t inner, int64_t columns, int64_t together,
                std::byte* panel) {
  const Element* row = reinterpret_cast<const Element*>(rows);
  Element* to = reinterpret_cast<Element*>(panel);
  for (int64_t column = 0; column < columns; ++column, row += inner) {
    for (int64_t i = 0; i < inner; ++i) {
      to[(i / together * kPanelColumns + column) * together + i % together] = row[i];
    }
  }
}

}  // namespace

template <DType kType>
uint64_t PackedPanelBytes(int64_t outputs, int64_t inner) {
  const int64_t panels = (outputs + kPanelColumns - 1) / kPanelColumns;
  return static_cast<uint64_t>(panels * PanelBytesOf<kType>(inner));
}

template <DType kType>
void PackPanels(const std::byte* rows, int64_t outputs, int64_t inner, int64_t begin, int64_t end,
                std::byte* packed) {
  const int64_t panel_bytes = PanelBytesOf<kType>(inner);
  const int64_t row_bytes = formats::RowBytes(kType, inner);
  for (int64_t p = begin; p < end; ++p) {
    std::byte* panel = packed + p * panel_bytes;
    const std::byte* from = rows + p * kPanelColumns * row_bytes;
    const int64_t columns = std::min(kPanelColumns, outputs - p * kPanelColumns);
    // The padding: columns past the last, and the second element of an odd last pair.
    if (columns < kPanelColumns || kIsFloat<kType>) std::memset(panel, 0, panel_bytes);
    if constexpr (kType == DType::kF32) {
      PackFloats<uint32_t>(from, inner, columns, 1, panel);
    } else if constexpr (kIsFloat<kType>) {
      PackFloats<uint16_t>(from, inner, columns, kType == DType::kBF16 ? 2 : 1, panel);
    } else {
      PackQuants<kType>(from, inner, columns, panel);
    }
  }
}

#define INFER_INSTANTIATE(type)                                                               \
  template uint64_t PackedPanelBytes<DType::type>(int64_t, int64_t);                          \
  template void PackPanels<DType::type>(const std::byte*, int64_t, int64_t, int64_t, int64_t, \
                                        std::byte*);
INFER_INSTANTIATE(kF32)
INFER_INSTANTIATE(kF16)
INFER_INSTANTIATE(kBF16)
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
