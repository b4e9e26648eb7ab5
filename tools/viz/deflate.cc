// SPDX-License-Identifier: Apache-2.0
#include "tools/viz/deflate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace infer {
namespace {

constexpr size_t kWindow = 32768;
constexpr size_t kMinMatch = 3, kMaxMatch = 258;
constexpr int kHashBits = 16;
// Earlier positions tried for each match. 64 instead of 16 makes a page 8 % smaller, 256 another 1
// %.
constexpr int kMaxChain = 64;

class BitWriter {
 public:
  void Bits(uint32_t value, int count) {  // least significant bit first
    buffer_ |= static_cast<uint64_t>(value) << used_;
    used_ += count;
    for (; used_ >= 8; used_ -= 8, buffer_ >>= 8) out_.push_back(static_cast<char>(buffer_));
  }
  void Code(uint32_t code, int count) {  // Huffman codes are written most significant bit first
    uint32_t reversed = 0;
    for (int i = 0; i < count; ++i) reversed |= ((code >> i) & 1) << (count - 1 - i);
    Bits(reversed, count);
  }
  std::string Finish() {
    if (used_ > 0) Bits(0, 8 - used_);
    return std::move(out_);
  }

 private:
  std::string out_;
  uint64_t buffer_ = 0;
  int used_ = 0;
};

// Writes a symbol in the fixed code of RFC 1951, 3.2.6.
void WriteSymbol(uint32_t symbol, BitWriter* out) {
  if (symbol < 144) return out->Code(0x30 + symbol, 8);
  if (symbol < 256) return out->Code(0x190 + symbol - 144, 9);
  if (symbol < 280) return out->Code(symbol - 256, 7);
  out->Code(0xC0 + symbol - 280, 8);
}

// Bases of the codes for lengths and distances grow by 2^extra bits; every `per_step` codes there
// is one more extra bit.
struct Coded {
  uint32_t code, extra_bits, extra;
};
Coded Encode(uint32_t value, uint32_t first_with_bits, uint32_t per_step) {
  if (value < first_with_bits) return {value, 0, 0};
  uint32_t code = first_with_bits, base = first_with_bits;
  for (uint32_t bits = 1;; ++bits) {
    for (uint32_t i = 0; i < per_step; ++i, ++code, base += 1u << bits) {
      if (value < base + (1u << bits)) return {code, bits, value - base};
    }
  }
}

void WriteMatch(size_t length, size_t distance, BitWriter* out) {
  // The longest match has a code of its own.
  Coded coded = length == kMaxMatch ? Coded{28, 0, 0}
                                    : Encode(static_cast<uint32_t>(length - kMinMatch), 8, 4);
  WriteSymbol(257 + coded.code, out);
  out->Bits(coded.extra, static_cast<int>(coded.extra_bits));
  coded = Encode(static_cast<uint32_t>(distance - 1), 4, 2);
  out->Code(coded.code, 5);
  out->Bits(coded.extra, static_cast<int>(coded.extra_bits));
}

class MatchFinder {
 public:
  explicit MatchFinder(std::string_view bytes)
      : bytes_(bytes), head_(size_t{1} << kHashBits, -1), former_(bytes.size(), -1) {}

  void Insert(size_t at) {
    if (at + kMinMatch > bytes_.size()) return;
    int64_t& head = head_[Hash(at)];
    former_[at] = head;
    head = static_cast<int64_t>(at);
  }

  struct Found {
    size_t length = 0, distance = 0;
  };
  Found Longest(size_t at) const {
    Found best;
    if (at + kMinMatch > bytes_.size()) return best;
    const size_t most = std::min(kMaxMatch, bytes_.size() - at);
    int64_t from = head_[Hash(at)];
    for (int i = 0; i < kMaxChain && from >= 0 && at - from <= kWindow; ++i, from = former_[from]) {
      size_t length = 0;
      while (length < most && bytes_[from + length] == bytes_[at + length]) ++length;
      if (length > best.length) best = {length, at - static_cast<size_t>(from)};
      if (length == most) break;
    }
    return best.length < kMinMatch ? Found{} : best;
  }

 private:
  size_t Hash(size_t at) const {
    uint32_t three = 0;
    std::memcpy(&three, bytes_.data() + at, kMinMatch);
    return (three * 2654435761u) >> (32 - kHashBits);
  }

  std::string_view bytes_;
  std::vector<int64_t> head_, former_;
};

}  // namespace

std::string Deflate(std::string_view bytes) {
  BitWriter out;
  out.Bits(1, 1);  // the last block
  out.Bits(1, 2);  // with fixed codes
  MatchFinder finder(bytes);
  for (size_t at = 0; at < bytes.size();) {
    MatchFinder::Found found = finder.Longest(at);
    finder.Insert(at);
    // A longer match one byte later is worth a literal.
    if (found.length == 0 || (found.length < 32 && finder.Longest(at + 1).length > found.length)) {
      WriteSymbol(static_cast<uint8_t>(bytes[at++]), &out);
      continue;
    }
    WriteMatch(found.length, found.distance, &out);
    for (size_t i = 1; i < found.length; ++i) finder.Insert(at + i);
    at += found.length;
  }
  WriteSymbol(256, &out);
  return out.Finish();
}

}  // namespace infer
