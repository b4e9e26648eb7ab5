// SPDX-License-Identifier: Apache-2.0
//
// The generator of every random byte of a synthetic model. Written here because the distributions
// of the standard library differ between platforms, and a seed must give the same file on all of
// them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "runtime/random.h"

namespace infer {

// Spreads every bit of `value` over the whole word.
inline uint64_t MixBits(uint64_t value) { return SplitMix64(value).Next(); }

// Returns the key of a named stream; streams with other names or seeds are unrelated.
inline uint64_t StreamKey(uint64_t seed, std::string_view name) {
  uint64_t key = MixBits(seed);
  for (unsigned char c : name) key = MixBits(key ^ c);
  return key;
}

// A stream of random numbers. Each row of a tensor has its own, so that the bytes of a file do not
// depend on how many rows are made at a time.
class RandomStream {
 public:
  RandomStream(uint64_t key, uint64_t row) : random_(State(key, row)) {}

  uint64_t Next() { return random_.Next(); }

  // Returns a number in [0, bound), bound > 0: the high half of a 64-bit product. Its bias of 2^-32
  // is harmless.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32); }

  void Fill(std::span<std::byte> out) {
    size_t at = 0;
    for (; at + 8 <= out.size(); at += 8) Store(Next(), out.data() + at, 8);
    if (at < out.size()) Store(Next(), out.data() + at, out.size() - at);
  }

 private:
  static void Store(uint64_t word, std::byte* out, size_t bytes) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    std::memcpy(out, &word, bytes);
  }

  static std::array<uint64_t, 4> State(uint64_t key, uint64_t row) {
    uint64_t value = MixBits(key ^ MixBits(row));
    std::array<uint64_t, 4> state;
    for (uint64_t& word : state) word = value = MixBits(value);
    return state;
  }

  Random random_;
};

}  // namespace infer
