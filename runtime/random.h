// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace infer {

// SplitMix64 (Steele, Lea, Flood 2014): expands one seed into the state of a larger generator.
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t Next();

 private:
  uint64_t state_;
};

// xoshiro256** 1.0 (Blackman, Vigna 2018). Uses integers only, so a seed gives the same numbers on
// every platform, which std:: distributions do not guarantee. Not cryptographically secure.
class Random {
 public:
  // The state is the first four numbers of SplitMix64(seed), so any seed is good, 0 included.
  explicit Random(uint64_t seed);
  // `state` must not be all zeros.
  explicit Random(const std::array<uint64_t, 4>& state) : state_(state) {}

  uint64_t Next();
  // Uniform in [0, 1), a multiple of 2^-53.
  double NextUnit();

 private:
  std::array<uint64_t, 4> state_;
};

}  // namespace infer
