// SPDX-License-Identifier: Apache-2.0
#include "frontends/gguf/weights.h"

#include <xxhash.h>

#include <array>
#include <cstring>

namespace infer {
namespace {

constexpr size_t kSampleBytes = 4096;
constexpr size_t kSamples = 4;

}  // namespace

uint64_t GgufWeights::SampleHash(const WeightInfo& weight) const {
  const std::span<const std::byte> data = Data(weight);
  if (data.size() <= kSampleBytes * kSamples) return XXH3_64bits(data.data(), data.size());
  std::array<std::byte, kSampleBytes * kSamples> sample;
  // Sample 0 begins at the first byte, and sample 3 ends at the last.
  const size_t last_begin = data.size() - kSampleBytes;
  for (size_t i = 0; i < kSamples; ++i) {
    const size_t begin = i == kSamples - 1 ? last_begin : last_begin / (kSamples - 1) * i;
    std::memcpy(sample.data() + i * kSampleBytes, data.data() + begin, kSampleBytes);
  }
  return XXH3_64bits(sample.data(), sample.size());
}

uint64_t GgufWeights::FullHash(const WeightInfo& weight) const {
  const std::span<const std::byte> data = Data(weight);
  return XXH3_64bits(data.data(), data.size());
}

}  // namespace infer
