// SPDX-License-Identifier: Apache-2.0
#include "runtime/random.h"

#include <bit>

namespace infer {

uint64_t SplitMix64::Next() {
  state_ += 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, odd
  uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

Random::Random(uint64_t seed) {
  SplitMix64 seeder(seed);
  for (uint64_t& word : state_) word = seeder.Next();
}

uint64_t Random::Next() {
  const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::NextUnit() { return static_cast<double>(Next() >> 11) * 0x1.0p-53; }

}  // namespace infer
