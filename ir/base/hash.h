// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace infer {

// FNV-1a with a final mix. Gives the same value on every platform and in every run, as node ids
// require: they are stored in Programs, profiles and traces and joined by value.
class Hasher {
 public:
  Hasher& Add(std::string_view bytes) {
    for (char c : bytes) AddByte(static_cast<uint8_t>(c));
    return Add(uint64_t{bytes.size()});  // so that "ab","c" and "a","bc" differ
  }
  Hasher& Add(uint64_t number) {
    for (int i = 0; i < 8; ++i) AddByte(static_cast<uint8_t>(number >> (8 * i)));
    return *this;
  }
  uint64_t Finish() const {
    uint64_t x = state_;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
  }

 private:
  void AddByte(uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; }

  uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace infer
