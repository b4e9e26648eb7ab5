// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/dequantize_row.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "backends/formats/k_blocks.h"
#include "backends/formats/simple_blocks.h"
#include "backends/formats/table_blocks.h"
#include "gtest/gtest.h"
#include "ir/base/strings.h"

namespace infer::formats {
namespace {

constexpr int64_t kColumns = 256;  // of the rows under tests/data

std::vector<char> ReadData(std::string_view name) {
  std::ifstream file(StrCat(INFER_TEST_DATA, "/dequant/", name), std::ios::binary);
  EXPECT_TRUE(file.good()) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

class DequantizeRowOf : public ::testing::TestWithParam<DType> {};
class DequantizeFileRowOf : public ::testing::TestWithParam<DType> {};

// Rows of model files against the floats that the `gguf` Python package makes of them.
TEST_P(DequantizeFileRowOf, EqualsGgufPythonBitForBit) {
  const DType dtype = GetParam();
  const std::vector<char> raw = ReadData(StrCat(Name(dtype), ".bin"));
  const std::vector<char> expected = ReadData(StrCat(Name(dtype), ".f32"));
  const int64_t row_bytes = static_cast<int64_t>(RowBytes(dtype, kColumns));
  const int64_t rows = std::ssize(raw) / row_bytes;
  ASSERT_GE(rows, 4);
  ASSERT_EQ(std::ssize(raw), rows * row_bytes);
  ASSERT_EQ(expected.size(), rows * kColumns * sizeof(float));
  // One byte off any alignment.
  std::vector<std::byte> unaligned(raw.size() + 1);
  std::memcpy(unaligned.data() + 1, raw.data(), raw.size());
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<float> found(kColumns);
    DequantizeRow(dtype, unaligned.data() + 1 + row * row_bytes, kColumns, found.data());
    const char* floats = expected.data() + row * kColumns * sizeof(float);
    EXPECT_EQ(std::memcmp(found.data(), floats, kColumns * sizeof(float)), 0) << "row " << row;
  }
}

// Memory is exactly as long as the row, so that a sanitizer sees every access beyond it.
TEST_P(DequantizeRowOf, ReadsAndWritesTheRowOnlyWhateverItsBytes) {
  const DType dtype = GetParam();
  for (int64_t blocks : {1, 3}) {
    const int64_t columns = blocks * Info(dtype).block_elements;
    const uint64_t bytes = RowBytes(dtype, columns);
    for (int fill : {0x00, 0x55, 0x7b, 0xff}) {
      auto row = std::make_unique<std::byte[]>(bytes);
      std::memset(row.get(), fill, bytes);
      std::vector<float> out(columns, 12345.0f);
      out.shrink_to_fit();
      DequantizeRow(dtype, row.get(), columns, out.data());
      EXPECT_EQ(std::ranges::count(out, 12345.0f), 0) << fill;
    }
  }
}

TEST_P(DequantizeRowOf, BlocksOfARowAreIndependent) {
  const DType dtype = GetParam();
  const int64_t elements = Info(dtype).block_elements;
  const uint64_t bytes = Info(dtype).block_bytes;
  std::vector<std::byte> row(3 * bytes);
  for (size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::byte>(i * 151 + i / 7);
  std::vector<float> whole(3 * elements);
  DequantizeRow(dtype, row.data(), 3 * elements, whole.data());
  for (int64_t block = 0; block < 3; ++block) {
    std::vector<float> alone(elements);
    DequantizeRow(dtype, row.data() + block * bytes, elements, alone.data());
    EXPECT_EQ(std::memcmp(alone.data(), whole.data() + block * elements, elements * sizeof(float)),
              0)
        << block;
  }
}

std::string TypeName(const ::testing::TestParamInfo<DType>& param) {
  return std::string(Name(param.param));
}

INSTANTIATE_TEST_SUITE_P(Types, DequantizeRowOf, ::testing::ValuesIn(WeightTypes()), TypeName);
// The files have no matrix in f32, the first of the types.
INSTANTIATE_TEST_SUITE_P(Types, DequantizeFileRowOf, ::testing::ValuesIn(WeightTypes().subspan(1)),
                         TypeName);

TEST(DequantizeRow, ReadsWhatQwen3FilesComeIn) {
  std::string names;
  for (DType dtype : WeightTypes()) StrAppend(&names, Name(dtype), " ");
  EXPECT_EQ(names,
            "f32 f16 bf16 q8_0 q4_0 q4_1 q5_0 q5_1 q2_k q3_k q4_k q5_k q6_k iq4_nl iq4_xs mxfp4 ");
}

TEST(DequantizeRow, WritesNothingForATypeItDoesNotRead) {
  const std::byte row[292] = {};
  float out = 7;
  DequantizeRow(DType::kQ8_K, row, 256, &out);
  EXPECT_EQ(out, 7);
}

TEST(DequantizeRow, BytesCountWholeBlocks) {
  EXPECT_EQ(RowBytes(DType::kF32, 3), 12u);
  EXPECT_EQ(RowBytes(DType::kBF16, 3), 6u);
  EXPECT_EQ(RowBytes(DType::kQ8_0, 96), 102u);
  EXPECT_EQ(RowBytes(DType::kQ6_K, 512), 420u);
}

template <class Block>
void ExpectSizesOf(DType dtype) {
  EXPECT_EQ(Info(dtype).block_bytes, sizeof(Block)) << Name(dtype);
  EXPECT_EQ(Info(dtype).block_elements, uint32_t{Block::kElements}) << Name(dtype);
}

TEST(DequantizeRow, BlocksHaveTheSizesOfTheirTypes) {
  ExpectSizesOf<BlockQ4_0>(DType::kQ4_0);
  ExpectSizesOf<BlockQ4_1>(DType::kQ4_1);
  ExpectSizesOf<BlockQ5_0>(DType::kQ5_0);
  ExpectSizesOf<BlockQ5_1>(DType::kQ5_1);
  ExpectSizesOf<BlockQ8_0>(DType::kQ8_0);
  ExpectSizesOf<BlockQ2_K>(DType::kQ2_K);
  ExpectSizesOf<BlockQ3_K>(DType::kQ3_K);
  ExpectSizesOf<BlockQ4_K>(DType::kQ4_K);
  ExpectSizesOf<BlockQ5_K>(DType::kQ5_K);
  ExpectSizesOf<BlockQ6_K>(DType::kQ6_K);
  ExpectSizesOf<BlockIQ4_NL>(DType::kIQ4_NL);
  ExpectSizesOf<BlockIQ4_XS>(DType::kIQ4_XS);
  ExpectSizesOf<BlockMXFP4>(DType::kMXFP4);
}

}  // namespace
}  // namespace infer::formats
