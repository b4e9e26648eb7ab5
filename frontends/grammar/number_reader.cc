// SPDX-License-Identifier: Apache-2.0
#include "frontends/grammar/number_reader.h"

#include <algorithm>

#include "absl/status/status.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

using enum NumberRead::Phase;

constexpr uint32_t kMaxModulus = 100'000;
constexpr int kManyRemaindersDigits = 15;

void CompareDigit(std::string_view digits, size_t at, char symbol, NumberRead::Order* so_far) {
  if (*so_far != 0) return;
  const char other = at < digits.size() ? digits[at] : '0';
  *so_far = symbol == other ? 0 : (symbol < other ? -1 : 1);
}

// The comparison of the integer part: the longer number is the larger one.
NumberRead::Order IntegerOrder(const Decimal& bound, const NumberRead& read,
                               NumberRead::Order so_far) {
  if (read.digits == bound.integer.size()) return so_far;
  return static_cast<NumberRead::Order>(read.digits < bound.integer.size() ? -1 : 1);
}

// Negative, zero or positive, as the number minus the bound is.
int Order(const Decimal& bound, const NumberRead& read, NumberRead::Order so_far) {
  if (!read.is_nonzero) return bound.IsZero() ? 0 : (bound.is_negative ? 1 : -1);
  if (read.is_negative != bound.is_negative) return read.is_negative ? -1 : 1;
  int order = so_far;
  if (read.phase != kFraction) order = IntegerOrder(bound, read, so_far);
  const size_t written = read.phase == kFraction ? read.digits : 0;
  if (order == 0 && written < bound.fraction.size()) order = -1;
  return read.is_negative ? -order : order;
}

}  // namespace

absl::StatusOr<NumberReader> NumberReader::Create(const NumberBounds& bounds) {
  NumberReader reader(bounds);
  if (!bounds.multiple_of) return reader;
  const Decimal& step = *bounds.multiple_of;
  uint64_t modulus = 0;
  for (const char c : step.integer + step.fraction) {
    modulus = std::min<uint64_t>(modulus * 10 + static_cast<uint64_t>(c - '0'), kMaxModulus + 1);
  }
  if (modulus > kMaxModulus || modulus == 0) {
    return absl::InvalidArgumentError(
        StrCat("multipleOf has more digits than ", kMaxModulus, " and is not supported"));
  }
  reader.modulus_ = static_cast<uint32_t>(modulus);
  // There is a state for each remainder and number of digits.
  if (modulus > 100 && !bounds.min && !bounds.max) reader.max_integer_ = kManyRemaindersDigits;
  reader.places_ = static_cast<uint16_t>(step.fraction.size());
  return reader;
}

std::optional<NumberRead> NumberReader::Next(NumberRead read, char symbol) const {
  const bool is_digit = symbol >= '0' && symbol <= '9';
  switch (read.phase) {
    case kStart:
    case kMinus:
      if (symbol == '-' && read.phase == kStart) {
        read.phase = kMinus;
        read.is_negative = true;
        return read;
      }
      if (!is_digit) return std::nullopt;
      // -0 is an integer, but nobody writes it.
      if (bounds_.is_integer && read.phase == kMinus && symbol == '0') return std::nullopt;
      return IntegerDigit(read, symbol, symbol == '0' ? kZero : kDigits);
    case kZero:
    case kDigits:
      if (is_digit && read.phase == kDigits) return IntegerDigit(read, symbol, kDigits);
      if (symbol == '.' && !bounds_.is_integer) return Point(read);
      return symbol == 'e' ? Exponent(read) : std::nullopt;
    case kPoint:
    case kFraction:
      if (is_digit) return FractionDigit(read, symbol);
      return symbol == 'e' && read.phase == kFraction ? Exponent(read) : std::nullopt;
    case kE:
    case kESign:
      if (read.phase == kE && (symbol == '-' || symbol == '+')) {
        read.phase = kESign;
        return read;
      }
      [[fallthrough]];
    case kExponent:
      return is_digit ? ExponentDigit(read, symbol) : std::nullopt;
  }
  return std::nullopt;
}

bool NumberReader::Accepts(const NumberRead& read) const {
  if (read.phase == kExponent) return true;
  if (read.phase != kZero && read.phase != kDigits && read.phase != kFraction) return false;
  return Within(read) && IsMultiple(read);
}

NumberReader::NumberReader(const NumberBounds& bounds) : bounds_(bounds) {
  for (const std::optional<Decimal>& bound : {bounds.min, bounds.max}) {
    if (!bound) continue;
    max_integer_ = std::max(max_integer_, static_cast<int>(bound->integer.size()) + 1);
    max_fraction_ = std::max(max_fraction_, static_cast<int>(bound->fraction.size()) + 1);
  }
}

std::optional<NumberRead> NumberReader::IntegerDigit(NumberRead read, char symbol,
                                                     NumberRead::Phase phase) const {
  if (read.digits >= max_integer_) return std::nullopt;
  read.phase = phase;
  read.is_nonzero |= symbol != '0';
  if (bounds_.min) CompareDigit(bounds_.min->integer, read.digits, symbol, &read.min);
  if (bounds_.max) CompareDigit(bounds_.max->integer, read.digits, symbol, &read.max);
  Append(symbol, &read);
  ++read.digits;
  return read;
}

std::optional<NumberRead> NumberReader::Point(NumberRead read) const {
  if (bounds_.min) read.min = IntegerOrder(*bounds_.min, read, read.min);
  if (bounds_.max) read.max = IntegerOrder(*bounds_.max, read, read.max);
  read.phase = kPoint;
  read.digits = 0;
  return read;
}

std::optional<NumberRead> NumberReader::FractionDigit(NumberRead read, char symbol) const {
  if (read.digits >= max_fraction_) return std::nullopt;
  if (modulus_ != 0 && read.digits >= places_ && symbol != '0') return std::nullopt;
  read.phase = kFraction;
  read.is_nonzero |= symbol != '0';
  if (bounds_.min) CompareDigit(bounds_.min->fraction, read.digits, symbol, &read.min);
  if (bounds_.max) CompareDigit(bounds_.max->fraction, read.digits, symbol, &read.max);
  if (read.digits < places_) Append(symbol, &read);
  ++read.digits;
  return read;
}

std::optional<NumberRead> NumberReader::Exponent(NumberRead read) const {
  if (!HasExponent()) return std::nullopt;
  return NumberRead{.phase = kE, .is_negative = read.is_negative};
}

std::optional<NumberRead> NumberReader::ExponentDigit(NumberRead read, char symbol) const {
  const int value = read.exponent * 10 + (symbol - '0');
  if (read.exponent_digits >= 3 || value > NumberDfa::kMaxExponent) return std::nullopt;
  read.phase = kExponent;
  read.exponent = static_cast<uint16_t>(value);
  ++read.exponent_digits;
  if (read.exponent * 10 > NumberDfa::kMaxExponent) read.exponent_digits = 3;
  if (read.exponent_digits == 3) read.exponent = 999;  // nothing follows: one state for all
  return read;
}

void NumberReader::Append(char symbol, NumberRead* read) const {
  if (modulus_ == 0) return;
  read->remainder = static_cast<uint32_t>(
      (uint64_t{read->remainder} * 10 + static_cast<uint64_t>(symbol - '0')) % modulus_);
}

bool NumberReader::IsMultiple(const NumberRead& read) const {
  if (modulus_ == 0) return true;
  uint64_t remainder = read.remainder;
  const int written = read.phase == kFraction ? read.digits : 0;
  for (int i = written; i < places_; ++i) remainder = remainder * 10 % modulus_;
  return remainder == 0;
}

bool NumberReader::Within(const NumberRead& read) const {
  if (bounds_.min) {
    const int order = Order(*bounds_.min, read, read.min);
    if (order < 0 || (order == 0 && bounds_.excludes_min)) return false;
  }
  if (bounds_.max) {
    const int order = Order(*bounds_.max, read, read.max);
    if (order > 0 || (order == 0 && bounds_.excludes_max)) return false;
  }
  return true;
}

}  // namespace infer
