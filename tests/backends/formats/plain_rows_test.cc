// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/plain_rows.h"

#include <bit>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "runtime/half.h"

namespace infer::formats {
namespace {

TEST(PlainRows, F32IsCopiedBitForBit) {
  const uint32_t bits[] = {0x3fc00000, 0x80000000, 0x00000001, 0x7f800001};  // the last a NaN
  std::vector<std::byte> unaligned(sizeof(bits) + 1);
  std::memcpy(unaligned.data() + 1, bits, sizeof(bits));
  float found[4];
  DequantizeF32(unaligned.data() + 1, 4, found);
  EXPECT_EQ(std::memcmp(found, bits, sizeof(bits)), 0);
}

// The vector loop and its tail see every pattern.
TEST(PlainRows, EveryHalfOfARowIsWidened) {
  std::vector<uint16_t> halves(65536 + 3);
  for (size_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  const auto* row = reinterpret_cast<const std::byte*>(halves.data());
  const int64_t columns = std::ssize(halves);
  std::vector<float> f16(halves.size());
  std::vector<float> bf16(halves.size());
  DequantizeF16(row, columns, f16.data());
  DequantizeBF16(row, columns, bf16.data());
  for (size_t i = 0; i < halves.size(); ++i) {
    ASSERT_EQ(std::bit_cast<uint32_t>(f16[i]), std::bit_cast<uint32_t>(F16ToF32(halves[i]))) << i;
    ASSERT_EQ(std::bit_cast<uint32_t>(bf16[i]), uint32_t{halves[i]} << 16) << i;
  }
}

}  // namespace
}  // namespace infer::formats
