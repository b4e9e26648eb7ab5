// SPDX-License-Identifier: Apache-2.0
//
// Writes the planes that kernels/weights.h describes.
#include <cstring>

#include "backends/cuda/weight_types.h"
#include "backends/formats/k_blocks.h"
#include "backends/formats/simple_blocks.h"

namespace infer::cuda {
namespace {

constexpr int64_t kRun = 32;  // elements that share a scale

// The planes of a row.
struct RowPlanes {
  std::byte* quants;
  std::byte* high;
  std::byte* scales;
  std::byte* supers;
};

// 32 quants from 0 on, 4 bits in the plane of quants, what is above in the plane of high bits.
template <int kHighBits>
void PackRun(const uint8_t* quants, std::byte* low, std::byte* high) {
  for (int i = 0; i < 16; ++i) {
    low[i] = static_cast<std::byte>((quants[i] & 15) | (quants[16 + i] & 15) << 4);
  }
  if constexpr (kHighBits == 1) {
    uint8_t bytes[4] = {};
    for (int i = 0; i < kRun; ++i)
      bytes[i % 4] |= static_cast<uint8_t>((quants[i] >> 4) << (i / 4));
    std::memcpy(high, bytes, sizeof bytes);
  } else if constexpr (kHighBits == 2) {
    uint8_t bytes[8] = {};
    for (int i = 0; i < kRun; ++i) {
      bytes[i / 16 * 4 + i % 4] |= static_cast<uint8_t>((quants[i] >> 4) << (i % 16 / 4 * 2));
    }
    std::memcpy(high, bytes, sizeof bytes);
  }
}

void PackBlock(const formats::BlockQ8_0& block, int64_t at, const RowPlanes& row) {
  std::memcpy(row.quants + at * kRun, block.quants, kRun);
  std::memcpy(row.scales + at * 2, &block.scale, 2);
}

void PackBlock(const formats::BlockQ4_0& block, int64_t at, const RowPlanes& row) {
  std::memcpy(row.quants + at * 16, block.quants, 16);
  std::memcpy(row.scales + at * 2, &block.scale, 2);
}

template <int kHighBits, class Block>
void PackWithMins(const Block& block, int64_t at, const RowPlanes& row) {
  int8_t quants[Block::kElements];
  UnpackQuants(block, quants);
  uint8_t scales[8], mins[8];
  formats::UnpackScalesAndMins(block.scales_and_mins, scales, mins);
  for (int64_t run = 0; run < 8; ++run) {
    const int64_t to = at * 8 + run;
    PackRun<kHighBits>(reinterpret_cast<const uint8_t*>(quants) + run * kRun, row.quants + to * 16,
                       row.high + to * 4);
    row.scales[to * 2] = static_cast<std::byte>(scales[run]);
    row.scales[to * 2 + 1] = static_cast<std::byte>(mins[run]);
  }
  std::memcpy(row.supers + at * 4, &block.scale, 2);
  std::memcpy(row.supers + at * 4 + 2, &block.min, 2);
}

void PackBlock(const formats::BlockQ4_K& block, int64_t at, const RowPlanes& row) {
  PackWithMins<0>(block, at, row);
}
void PackBlock(const formats::BlockQ5_K& block, int64_t at, const RowPlanes& row) {
  PackWithMins<1>(block, at, row);
}

void PackBlock(const formats::BlockQ6_K& block, int64_t at, const RowPlanes& row) {
  int8_t quants[256];
  UnpackQuants(block, quants);
  uint8_t from_zero[256];
  for (int i = 0; i < 256; ++i) from_zero[i] = static_cast<uint8_t>(quants[i] + 32);
  for (int64_t run = 0; run < 8; ++run) {
    const int64_t to = at * 8 + run;
    PackRun<2>(from_zero + run * kRun, row.quants + to * 16, row.high + to * 8);
    std::memcpy(row.scales + to * 2, block.scales + run * 2, 2);
  }
  std::memset(row.supers + at * 4, 0, 4);
  std::memcpy(row.supers + at * 4, &block.scale, 2);
}

template <class Block, DType kType>
void Pack(const std::byte* rows, int64_t num_rows, int64_t columns, int64_t begin_panel,
          int64_t end_panel, std::byte* packed) {
  const WeightType& type = *FindWeight(kType);
  const PlaneBytes planes = PlanesOf(type, num_rows, columns);
  const int64_t blocks = columns / Block::kElements;
  for (int64_t row = begin_panel; row < end_panel; ++row) {
    const int64_t units = columns / type.unit_elements * row;
    std::byte* high = packed + planes.quants;
    std::byte* scales = high + planes.high;
    std::byte* supers = scales + planes.scales;
    const RowPlanes to = {packed + units * 16, high + units * type.high_bytes,
                          scales + row * (columns / 16), supers + row * (columns / 64)};
    for (int64_t i = 0; i < blocks; ++i) {
      Block block;
      std::memcpy(&block, rows + (row * blocks + i) * static_cast<int64_t>(sizeof(Block)),
                  sizeof(Block));
      PackBlock(block, i, to);
    }
  }
}

template <DType kType>
uint64_t Bytes(int64_t rows, int64_t columns) {
  return PlanesOf(*FindWeight(kType), rows, columns).total();
}

template <class Block, DType kType>
constexpr WeightLayout Layout(std::string_view name) {
  return {.name = name,
          .variant = name,
          .panel_rows = 1,
          .bytes = Bytes<kType>,
          .pack = Pack<Block, kType>};
}

}  // namespace

std::span<const WeightLayout> WeightLayouts() {
  static constexpr WeightLayout kLayouts[] = {
      Layout<formats::BlockQ8_0, DType::kQ8_0>("q8_0_cuda"),
      Layout<formats::BlockQ4_0, DType::kQ4_0>("q4_0_cuda"),
      Layout<formats::BlockQ4_K, DType::kQ4_K>("q4_k_cuda"),
      Layout<formats::BlockQ5_K, DType::kQ5_K>("q5_k_cuda"),
      Layout<formats::BlockQ6_K, DType::kQ6_K>("q6_k_cuda")};
  return kLayouts;
}

}  // namespace infer::cuda
