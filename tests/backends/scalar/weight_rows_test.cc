// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/weight_rows.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/strings.h"
#include "runtime/half.h"

namespace infer::scalar {
namespace {

constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 256;

std::vector<char> ReadData(std::string_view name) {
  std::ifstream file(StrCat(INFER_TEST_DATA, "/dequant/", name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

// Rows of a model file against the floats that the `gguf` Python package makes of them.
void ExpectSameBits(DType dtype) {
  const std::vector<char> raw = ReadData(StrCat(Name(dtype), ".bin"));
  const std::vector<char> expected = ReadData(StrCat(Name(dtype), ".f32"));
  const uint64_t row_bytes = WeightRowBytes(dtype, kColumns);
  ASSERT_EQ(raw.size(), kRows * row_bytes);
  ASSERT_EQ(expected.size(), kRows * kColumns * sizeof(float));
  // One byte off any alignment.
  std::vector<std::byte> unaligned(raw.size() + 1);
  std::memcpy(unaligned.data() + 1, raw.data(), raw.size());
  for (int64_t row = 0; row < kRows; ++row) {
    std::vector<float> found(kColumns);
    WidenRow(dtype, unaligned.data() + 1 + row * row_bytes, kColumns, found.data());
    EXPECT_EQ(std::memcmp(found.data(), expected.data() + row * kColumns * sizeof(float),
                          kColumns * sizeof(float)),
              0)
        << Name(dtype) << " row " << row;
  }
}

TEST(ScalarWeightRows, F16EqualsGgufPython) { ExpectSameBits(DType::kF16); }
TEST(ScalarWeightRows, BF16EqualsGgufPython) { ExpectSameBits(DType::kBF16); }
TEST(ScalarWeightRows, Q8_0EqualsGgufPython) { ExpectSameBits(DType::kQ8_0); }

TEST(ScalarWeightRows, EveryHalfIsWidenedAsTheReferenceDoes) {
  std::vector<uint16_t> halves(65536);
  for (uint32_t i = 0; i < halves.size(); ++i) halves[i] = static_cast<uint16_t>(i);
  std::vector<float> found(halves.size());
  WidenRow(DType::kF16, reinterpret_cast<const std::byte*>(halves.data()), 65536, found.data());
  for (uint16_t half : halves) {
    ASSERT_EQ(std::bit_cast<uint32_t>(found[half]), std::bit_cast<uint32_t>(F16ToF32(half)))
        << half;
  }
}

TEST(ScalarWeightRows, F32IsCopied) {
  const float values[] = {1.5f, -0.0f, 1e-42f};
  std::vector<std::byte> unaligned(sizeof(values) + 1);
  std::memcpy(unaligned.data() + 1, values, sizeof(values));
  float found[3];
  WidenRow(DType::kF32, unaligned.data() + 1, 3, found);
  EXPECT_EQ(std::memcmp(found, values, sizeof(values)), 0);
}

TEST(ScalarWeightRows, BytesCountWholeBlocks) {
  EXPECT_EQ(WeightRowBytes(DType::kF32, 3), 12u);
  EXPECT_EQ(WeightRowBytes(DType::kF16, 3), 6u);
  EXPECT_EQ(WeightRowBytes(DType::kBF16, 3), 6u);
  EXPECT_EQ(WeightRowBytes(DType::kQ8_0, 96), 102u);
}

}  // namespace
}  // namespace infer::scalar
