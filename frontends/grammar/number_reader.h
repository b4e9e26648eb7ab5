// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontends/grammar/number_dfa.h"

namespace infer {

// What has been read of a number: how the digits so far compare with those of each bound, and the
// remainder modulo multipleOf. Two texts with the same description have the same continuations.
struct NumberRead {
  enum Phase : uint8_t { kStart, kMinus, kZero, kDigits, kPoint, kFraction, kE, kESign, kExponent };
  // Of the digits of the text and those of a bound at the same places, signs aside; the final one
  // after the point.
  using Order = int8_t;

  Phase phase = kStart;
  bool is_negative = false;
  bool is_nonzero = false;
  uint16_t digits = 0;  // before the point, or after it
  Order min = 0, max = 0;
  uint32_t remainder = 0;
  uint16_t exponent = 0;
  uint8_t exponent_digits = 0;

  friend auto operator<=>(const NumberRead&, const NumberRead&) = default;
};

// Reads numbers within bounds, symbol by symbol.
class NumberReader {
 public:
  static absl::StatusOr<NumberReader> Create(const NumberBounds& bounds);

  // Returns what has been read after one more symbol; nothing if no number goes on with it.
  std::optional<NumberRead> Next(NumberRead read, char symbol) const;
  // Whether a number that the bounds allow may end here.
  bool Accepts(const NumberRead& read) const;

 private:
  explicit NumberReader(const NumberBounds& bounds);

  bool HasExponent() const {
    return !bounds_.is_integer && !bounds_.min && !bounds_.max && modulus_ == 0;
  }
  std::optional<NumberRead> IntegerDigit(NumberRead read, char symbol,
                                         NumberRead::Phase phase) const;
  std::optional<NumberRead> Point(NumberRead read) const;
  std::optional<NumberRead> FractionDigit(NumberRead read, char symbol) const;
  std::optional<NumberRead> Exponent(NumberRead read) const;
  std::optional<NumberRead> ExponentDigit(NumberRead read, char symbol) const;
  void Append(char symbol, NumberRead* read) const;
  bool IsMultiple(const NumberRead& read) const;
  bool Within(const NumberRead& read) const;

  NumberBounds bounds_;
  int max_integer_ = NumberDfa::kMaxIntegerDigits;
  int max_fraction_ = NumberDfa::kMaxFractionDigits;
  uint32_t modulus_ = 0;  // 0 means none
  uint16_t places_ = 0;   // after the point that count
};

}  // namespace infer
