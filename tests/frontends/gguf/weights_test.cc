// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/weights.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/gguf_writer.h"

namespace infer {
namespace {

constexpr size_t kWeightBytes = 400000;

std::string Pattern() {
  std::string data(kWeightBytes, '\0');
  for (size_t i = 0; i < kWeightBytes; ++i) data[i] = static_cast<char>(i * 2654435761u >> 13);
  return data;
}

struct Hashes {
  uint64_t sample;
  uint64_t full;
};

Hashes HashesOf(const std::string& data) {
  test::GgufImage image;
  image.AddTensor("w", {data.size()}, 24, data);
  const std::string bytes = image.Bytes();
  const auto file = GgufFile::FromBytes("m", std::as_bytes(std::span(bytes)));
  EXPECT_TRUE(file.ok()) << file.status();
  const GgufWeights weights(*file);
  return {weights.SampleHash(*weights.Find("w")), weights.FullHash(*weights.Find("w"))};
}

TEST(Weights, SmallOnesAreHashedWhole) {
  const std::string data = Pattern().substr(0, 16384);
  const Hashes hashes = HashesOf(data);
  EXPECT_EQ(hashes.sample, hashes.full);
  EXPECT_EQ(hashes.full, XXH3_64bits(data.data(), data.size()));
}

TEST(Weights, SampleIsFourPagesOfLargeOnes) {
  const std::string data = Pattern();
  const size_t step = (kWeightBytes - 4096) / 3;
  const std::string pages = data.substr(0, 4096) + data.substr(step, 4096) +
                            data.substr(2 * step, 4096) + data.substr(kWeightBytes - 4096);
  EXPECT_EQ(HashesOf(data).sample, XXH3_64bits(pages.data(), pages.size()));
  EXPECT_EQ(HashesOf(data).full, XXH3_64bits(data.data(), data.size()));
}

TEST(Weights, SampleSeesFirstAndLastByteAndFullSeesAll) {
  const Hashes original = HashesOf(Pattern());
  for (size_t at : {size_t{0}, kWeightBytes - 1}) {
    std::string changed = Pattern();
    changed[at] ^= 1;
    EXPECT_NE(HashesOf(changed).sample, original.sample) << at;
  }
  std::string changed = Pattern();
  changed[50000] ^= 1;
  EXPECT_EQ(HashesOf(changed).sample, original.sample);
  EXPECT_NE(HashesOf(changed).full, original.full);
}

TEST(Weights, AreTheTensorsOfTheFile) {
  const std::string bytes = test::SmallImage().Bytes();
  const auto file = GgufFile::FromBytes("m", std::as_bytes(std::span(bytes)));
  ASSERT_TRUE(file.ok());
  const GgufWeights weights(*file);
  EXPECT_EQ(weights.weights().size(), 3u);
  EXPECT_EQ(weights.Find("b.weight"), &weights.weights()[1]);
  EXPECT_EQ(weights.model_ref(), (*file)->model_ref());
  EXPECT_TRUE(weights.Check().ok());
}

}  // namespace
}  // namespace infer
