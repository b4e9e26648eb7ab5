// SPDX-License-Identifier: Apache-2.0
//
// Arithmetic on numbers from files. Every size, count and offset read from outside goes through
// these functions, so that no product or sum can wrap before it is compared with a limit.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace infer {

inline std::optional<uint64_t> CheckedAdd(uint64_t a, uint64_t b) {
  uint64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

inline std::optional<uint64_t> CheckedMul(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

// Returns `value` rounded up to a multiple of `alignment`, which must be a power of two.
inline std::optional<uint64_t> CheckedAlignUp(uint64_t value, uint64_t alignment) {
  std::optional<uint64_t> sum = CheckedAdd(value, alignment - 1);
  if (!sum) return std::nullopt;
  return *sum & ~(alignment - 1);
}

// Returns `value` as the narrower type To, if it fits.
template <class To, class From>
std::optional<To> CheckedCast(From value) {
  To narrow = static_cast<To>(value);
  if (static_cast<From>(narrow) != value || (narrow < To{}) != (value < From{}))
    return std::nullopt;
  return narrow;
}

}  // namespace infer
