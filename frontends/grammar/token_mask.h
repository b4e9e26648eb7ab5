// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace infer {

// A set of tokens, a bit for each.
class TokenMask {
 public:
  TokenMask() = default;
  explicit TokenMask(int32_t tokens) : words_((static_cast<size_t>(tokens) + 63) / 64) {}

  bool Contains(int32_t token) const {
    const auto t = static_cast<size_t>(token);
    return t / 64 < words_.size() && (words_[t / 64] >> (t % 64) & 1) != 0;
  }
  void Add(int32_t token) {
    words_[static_cast<size_t>(token) / 64] |= uint64_t{1} << (token % 64);
  }
  void Remove(int32_t token) {
    words_[static_cast<size_t>(token) / 64] &= ~(uint64_t{1} << (token % 64));
  }
  void Add(const TokenMask& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  size_t Count() const {
    size_t count = 0;
    for (const uint64_t word : words_) count += static_cast<size_t>(__builtin_popcountll(word));
    return count;
  }
  const std::vector<uint64_t>& words() const { return words_; }
  size_t bytes() const { return words_.size() * sizeof(uint64_t); }

  friend bool operator==(const TokenMask&, const TokenMask&) = default;

 private:
  std::vector<uint64_t> words_;
};

}  // namespace infer
