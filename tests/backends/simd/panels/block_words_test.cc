// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/panels/block_words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "backends/simd/panels/panel_formats.h"

namespace infer::simd {
namespace {

// Without the offset, and looked up in the table if there is one, the numbers are those of the
// format's own reader.
template <DType kType, class Block>
void ExpectWordsOfQuants() {
  constexpr PanelFormat kFormat = FormatOf<kType>();
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    Block block;
    auto* bytes = reinterpret_cast<uint8_t*>(&block);
    std::generate_n(bytes, sizeof(Block), [&] { return static_cast<uint8_t>(random()); });
    int8_t quants[Block::kElements];
    UnpackQuants(block, quants);
    uint8_t numbers[Block::kElements];
    uint32_t words[Block::kElements / 4];
    WordsOf(block, words);
    std::memcpy(numbers, words, sizeof(words));
    for (int i = 0; i < Block::kElements; ++i) {
      if constexpr (kFormat.table != nullptr) {
        ASSERT_LT(numbers[i], 16);
        ASSERT_EQ(kFormat.table[numbers[i]] - kFormat.offset, quants[i]) << i;
      } else {
        ASSERT_EQ(int{numbers[i]} - kFormat.offset, quants[i]) << i;
      }
    }
  }
}

TEST(BlockWords, AreTheNumbersOfTheFormat) {
  ExpectWordsOfQuants<DType::kQ4_0, formats::BlockQ4_0>();
  ExpectWordsOfQuants<DType::kQ4_1, formats::BlockQ4_1>();
  ExpectWordsOfQuants<DType::kQ5_0, formats::BlockQ5_0>();
  ExpectWordsOfQuants<DType::kQ5_1, formats::BlockQ5_1>();
  ExpectWordsOfQuants<DType::kQ2_K, formats::BlockQ2_K>();
  ExpectWordsOfQuants<DType::kQ3_K, formats::BlockQ3_K>();
  ExpectWordsOfQuants<DType::kQ4_K, formats::BlockQ4_K>();
  ExpectWordsOfQuants<DType::kQ5_K, formats::BlockQ5_K>();
  ExpectWordsOfQuants<DType::kQ6_K, formats::BlockQ6_K>();
  ExpectWordsOfQuants<DType::kIQ4_NL, formats::BlockIQ4_NL>();
  ExpectWordsOfQuants<DType::kIQ4_XS, formats::BlockIQ4_XS>();
  ExpectWordsOfQuants<DType::kMXFP4, formats::BlockMXFP4>();
}

}  // namespace
}  // namespace infer::simd
