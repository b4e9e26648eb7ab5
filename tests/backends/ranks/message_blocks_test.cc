// SPDX-License-Identifier: Apache-2.0
//
// What arrives rounds to what was sent, bit for bit, by the rounding of products.
#include "backends/ranks/message_blocks.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace infer {
namespace {

// The rounding of the product int8x32, as backends/simd/vector/quantize.h describes it.
struct Rounded {
  int8_t numbers[32] = {};
  float scale = 0;
  bool operator==(const Rounded& other) const {
    return std::memcmp(numbers, other.numbers, sizeof(numbers)) == 0 &&
           std::bit_cast<uint32_t>(scale) == std::bit_cast<uint32_t>(other.scale);
  }
};

Rounded Round(const float* x) {
  Rounded block;
  float largest = 0;
  for (int i = 0; i < 32; ++i) {
    if (!std::isfinite(x[i])) {
      block.scale = std::numeric_limits<float>::quiet_NaN();
      return block;
    }
    largest = std::max(largest, std::abs(x[i]));
  }
  block.scale = largest / 127.0f;
  const float inverse = block.scale > 0 ? 1.0f / block.scale : 0.0f;
  for (int i = 0; i < 32; ++i) {
    const float quotient = std::isinf(inverse) ? x[i] / block.scale : x[i] * inverse;
    block.numbers[i] =
        static_cast<int8_t>(std::max(-128.0f, std::min(127.0f, std::nearbyint(quotient))));
  }
  return block;
}

std::vector<float> SentAndRead(std::string_view name, const std::vector<float>& values) {
  const MessageForm& form = *FindMessageForm(name);
  const auto elements = static_cast<int64_t>(values.size());
  std::vector<std::byte> message(
      static_cast<size_t>(elements / form.block_elements * form.block_bytes));
  WriteMessage(form, values.data(), elements, message.data());
  std::vector<float> read(values.size());
  ReadMessage(form, message.data(), elements, read.data());
  return read;
}

void ExpectSameRounding(const std::vector<float>& values) {
  const std::vector<float> read = SentAndRead("int8x32", values);
  for (size_t i = 0; i < values.size(); i += 32) {
    ASSERT_EQ(Round(read.data() + i), Round(values.data() + i)) << "first value " << values[i];
  }
}

TEST(MessageBlocks, Int8RoundsToTheSameNumbersAndScale) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> values(32 * 100'000);
  for (float& value : values) value = normal(random);
  ExpectSameRounding(values);
}

// From the smallest denormal number to the largest float.
TEST(MessageBlocks, Int8OfAnyMagnitude) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (int exponent = -149; exponent <= 127; ++exponent) {
    std::vector<float> values(32 * 20);
    for (float& value : values) value = std::ldexp(uniform(random), exponent);
    ExpectSameRounding(values);
  }
}

TEST(MessageBlocks, Int8OfTiesZerosAndEqualValues) {
  std::vector<float> ties, zeros(32), equal(32, -0.3f);
  for (int i = 0; i < 32; ++i) ties.push_back(static_cast<float>(i) + 0.5f);
  ties[31] = -127.0f;
  ExpectSameRounding(ties);
  ExpectSameRounding(zeros);
  ExpectSameRounding(equal);
}

TEST(MessageBlocks, Int8OfWhatIsNotFiniteIsNan) {
  for (float bad : {std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::quiet_NaN()}) {
    std::vector<float> values(64, 1.0f);
    values[7] = bad;
    const std::vector<float> read = SentAndRead("int8x32", values);
    for (int i = 0; i < 32; ++i) EXPECT_TRUE(std::isnan(read[i]));
    for (int i = 32; i < 64; ++i) EXPECT_EQ(read[i], 1.0f);
  }
}

TEST(MessageBlocks, Bf16IsTheNearestTiesToEven) {
  const std::vector<float> values = {
      1.0f,      -1.0f,       0x1.01p0f,
      0x1.03p0f, 0x1.0101p0f, 0.0f,
      -0.0f,     3.39e38f,    std::numeric_limits<float>::infinity()};
  const std::vector<float> expected = {
      1.0f,      -1.0f,       1.0f,
      0x1.04p0f, 0x1.02p0f,   0.0f,
      -0.0f,     0x1.fep127f, std::numeric_limits<float>::infinity()};
  EXPECT_EQ(SentAndRead("bf16", values), expected);
  EXPECT_TRUE(std::isnan(SentAndRead("bf16", {std::numeric_limits<float>::quiet_NaN()})[0]));
}

}  // namespace
}  // namespace infer
