// SPDX-License-Identifier: Apache-2.0
//
// Blocks of 32 weights with one scale, in the form that the products of product.h read: bytes, a
// scale, and in some types a minimum that is added. Layouts: backends/formats.
#pragma once

#include <cstdint>

#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"
#include "backends/simd/isa/bytes.h"

namespace infer::simd::INFER_SIMD_LEVEL {
namespace {

template <class BlockType>
struct SimpleFormat {
  using Block = BlockType;
  static constexpr int kGroup = 32;
  static constexpr bool kSigned = true;
  static constexpr bool kHasMin = false;
  struct Scales {
    float scale[1];
    float min[1];
  };
  static void Read(const Block& block, Scales* scales) {
    scales->scale[0] = HalfAt(&block.scale.low);
  }
};

struct FormatQ8_0 : SimpleFormat<formats::BlockQ8_0> {
  template <int>
  static Bytes32 Quants(const Block& block) {
    return Load32(block.quants);
  }
};

struct FormatQ4_0 : SimpleFormat<formats::BlockQ4_0> {
  template <int>
  static Bytes32 Quants(const Block& block) {
    return Subtract(SplitNibbles(Load16(block.quants)), 8);
  }
};

struct FormatQ5_0 : SimpleFormat<formats::BlockQ5_0> {
  template <int>
  static Bytes32 Quants(const Block& block) {
    const Bytes32 low = SplitNibbles(Load16(block.quants));
    return Subtract(Or(low, SpreadBits(block.high, 16)), 16);
  }
};

template <class BlockType>
struct MinFormat : SimpleFormat<BlockType> {
  static constexpr bool kSigned = false;
  static constexpr bool kHasMin = true;
  static void Read(const BlockType& block, typename SimpleFormat<BlockType>::Scales* scales) {
    scales->scale[0] = HalfAt(&block.scale.low);
    scales->min[0] = HalfAt(&block.min.low);
  }
};

struct FormatQ4_1 : MinFormat<formats::BlockQ4_1> {
  template <int>
  static Bytes32 Quants(const formats::BlockQ4_1& block) {
    return SplitNibbles(Load16(block.quants));
  }
};

struct FormatQ5_1 : MinFormat<formats::BlockQ5_1> {
  template <int>
  static Bytes32 Quants(const formats::BlockQ5_1& block) {
    return Or(SplitNibbles(Load16(block.quants)), SpreadBits(block.high, 16));
  }
};

struct FormatIQ4_NL : SimpleFormat<formats::BlockIQ4_NL> {
  template <int>
  static Bytes32 Quants(const Block& block) {
    return Lookup(Load16(formats::kIq4Values), SplitNibbles(Load16(block.indices)));
  }
};

struct FormatMXFP4 : SimpleFormat<formats::BlockMXFP4> {
  template <int>
  static Bytes32 Quants(const Block& block) {
    return Lookup(Load16(formats::kMxfp4Values), SplitNibbles(Load16(block.indices)));
  }
  // 2^(exponent - 128); below the normal range its bits are a shifted mantissa.
  static void Read(const Block& block, Scales* scales) {
    const uint32_t e = block.exponent;
    const uint32_t bits = e < 2 ? 0x00200000u << e : (e - 1) << 23;
    __builtin_memcpy(scales->scale, &bits, sizeof(bits));
  }
};

}  // namespace
}  // namespace infer::simd::INFER_SIMD_LEVEL
