// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <string_view>

namespace infer {

// A set of bytes.
class ByteSet {
 public:
  bool Contains(uint8_t byte) const { return (words_[byte / 64] >> (byte % 64) & 1) != 0; }
  void Add(uint8_t byte) { words_[byte / 64] |= uint64_t{1} << (byte % 64); }
  void Add(std::string_view bytes) {
    for (const char byte : bytes) Add(static_cast<uint8_t>(byte));
  }
  void AddRange(uint8_t first, uint8_t last) {
    for (unsigned byte = first; byte <= last; ++byte) Add(static_cast<uint8_t>(byte));
  }
  void AddAll() { words_.fill(~uint64_t{0}); }

  // Calls `use` with each byte, in ascending order.
  template <class Use>
  void ForEach(const Use& use) const {
    for (unsigned word = 0; word < words_.size(); ++word) {
      for (uint64_t bits = words_[word]; bits != 0; bits &= bits - 1) {
        use(static_cast<uint8_t>(64 * word + static_cast<unsigned>(std::countr_zero(bits))));
      }
    }
  }

 private:
  std::array<uint64_t, 4> words_ = {};
};

}  // namespace infer
