// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
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
  void AddAll() { words_.fill(~uint64_t{0}); }

 private:
  std::array<uint64_t, 4> words_ = {};
};

}  // namespace infer
