// SPDX-License-Identifier: Apache-2.0
//
// The automaton is explored from a description of what has been read: how the digits so far compare
// with those of each bound, and the remainder modulo multipleOf. Two texts with the same
// description have the same continuations.
#include "frontends/grammar/number_dfa.h"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "ir/base/status_macros.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

constexpr size_t kMaxStates = 40'000;
constexpr uint32_t kMaxModulus = 100'000;
constexpr int kManyRemaindersDigits = 15;
constexpr std::string_view kSymbolBytes = "0123456789-+.e";

enum Phase : uint8_t { kStart, kMinus, kZero, kDigits, kPoint, kFraction, kE, kESign, kExponent };

// How the digits of the text compare with those of a bound, signs aside.
struct Comparison {
  int8_t order = 0;  // of the digits at the same places; the final one after the point
  friend auto operator<=>(const Comparison&, const Comparison&) = default;
};

struct Read {
  Phase phase = kStart;
  bool is_negative = false;
  bool is_nonzero = false;
  uint16_t digits = 0;  // before the point, or after it
  Comparison min = {}, max = {};
  uint32_t remainder = 0;
  uint16_t exponent = 0;
  uint8_t exponent_digits = 0;

  friend auto operator<=>(const Read&, const Read&) = default;
};

class Reader {
 public:
  static absl::StatusOr<Reader> Create(const NumberBounds& bounds) {
    Reader reader(bounds);
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

  std::optional<Read> Next(Read read, char symbol) const {
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

  bool Accepts(const Read& read) const {
    if (read.phase == kExponent) return true;
    if (read.phase != kZero && read.phase != kDigits && read.phase != kFraction) return false;
    return Within(read) && IsMultiple(read);
  }

 private:
  explicit Reader(const NumberBounds& bounds) : bounds_(bounds) {
    for (const std::optional<Decimal>& bound : {bounds.min, bounds.max}) {
      if (!bound) continue;
      max_integer_ = std::max(max_integer_, static_cast<int>(bound->integer.size()) + 1);
      max_fraction_ = std::max(max_fraction_, static_cast<int>(bound->fraction.size()) + 1);
    }
  }
  bool HasExponent() const {
    return !bounds_.is_integer && !bounds_.min && !bounds_.max && modulus_ == 0;
  }

  static void CompareDigit(std::string_view digits, size_t at, char symbol, Comparison* so_far) {
    if (so_far->order != 0) return;
    const char other = at < digits.size() ? digits[at] : '0';
    so_far->order = symbol == other ? 0 : (symbol < other ? -1 : 1);
  }

  std::optional<Read> IntegerDigit(Read read, char symbol, Phase phase) const {
    if (read.digits >= max_integer_) return std::nullopt;
    read.phase = phase;
    read.is_nonzero |= symbol != '0';
    if (bounds_.min) CompareDigit(bounds_.min->integer, read.digits, symbol, &read.min);
    if (bounds_.max) CompareDigit(bounds_.max->integer, read.digits, symbol, &read.max);
    Append(symbol, &read);
    ++read.digits;
    return read;
  }

  // The comparison of the integer part: the longer number is the larger one.
  static Comparison IntegerOrder(const Decimal& bound, const Read& read, Comparison so_far) {
    if (read.digits == bound.integer.size()) return so_far;
    return {static_cast<int8_t>(read.digits < bound.integer.size() ? -1 : 1)};
  }

  std::optional<Read> Point(Read read) const {
    if (bounds_.min) read.min = IntegerOrder(*bounds_.min, read, read.min);
    if (bounds_.max) read.max = IntegerOrder(*bounds_.max, read, read.max);
    read.phase = kPoint;
    read.digits = 0;
    return read;
  }

  std::optional<Read> FractionDigit(Read read, char symbol) const {
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

  std::optional<Read> Exponent(Read read) const {
    if (!HasExponent()) return std::nullopt;
    return Read{.phase = kE, .is_negative = read.is_negative};
  }

  std::optional<Read> ExponentDigit(Read read, char symbol) const {
    const int value = read.exponent * 10 + (symbol - '0');
    if (read.exponent_digits >= 3 || value > NumberDfa::kMaxExponent) return std::nullopt;
    read.phase = kExponent;
    read.exponent = static_cast<uint16_t>(value);
    ++read.exponent_digits;
    if (read.exponent * 10 > NumberDfa::kMaxExponent) read.exponent_digits = 3;
    if (read.exponent_digits == 3) read.exponent = 999;  // nothing follows: one state for all
    return read;
  }

  void Append(char symbol, Read* read) const {
    if (modulus_ == 0) return;
    read->remainder = static_cast<uint32_t>(
        (uint64_t{read->remainder} * 10 + static_cast<uint64_t>(symbol - '0')) % modulus_);
  }

  bool IsMultiple(const Read& read) const {
    if (modulus_ == 0) return true;
    uint64_t remainder = read.remainder;
    const int written = read.phase == kFraction ? read.digits : 0;
    for (int i = written; i < places_; ++i) remainder = remainder * 10 % modulus_;
    return remainder == 0;
  }

  // Negative, zero or positive, as the number minus the bound is.
  static int Order(const Decimal& bound, const Read& read, Comparison so_far) {
    if (!read.is_nonzero) return bound.IsZero() ? 0 : (bound.is_negative ? 1 : -1);
    if (read.is_negative != bound.is_negative) return read.is_negative ? -1 : 1;
    int order = so_far.order;
    if (read.phase != kFraction) order = IntegerOrder(bound, read, so_far).order;
    const size_t written = read.phase == kFraction ? read.digits : 0;
    if (order == 0 && written < bound.fraction.size()) order = -1;
    return read.is_negative ? -order : order;
  }

  bool Within(const Read& read) const {
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

  NumberBounds bounds_;
  int max_integer_ = NumberDfa::kMaxIntegerDigits;
  int max_fraction_ = NumberDfa::kMaxFractionDigits;
  uint32_t modulus_ = 0;  // 0 means none
  uint16_t places_ = 0;   // after the point that count
};

}  // namespace

int NumberDfa::SymbolOf(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte == '-') return 10;
  if (byte == '+') return 11;
  if (byte == '.') return 12;
  return byte == 'e' || byte == 'E' ? 13 : -1;
}

uint16_t NumberDfa::Next(uint16_t state, uint8_t byte) const {
  const int symbol = SymbolOf(byte);
  return symbol < 0 ? kDead : next_[state][static_cast<size_t>(symbol)];
}

absl::StatusOr<NumberDfa> NumberDfa::Create(const NumberBounds& bounds) {
  ASSIGN_OR_RETURN(const Reader reader, Reader::Create(bounds));
  NumberDfa dfa;
  std::map<Read, uint16_t> ids = {{Read{}, 0}};
  std::vector<Read> reads = {Read{}};
  for (size_t state = 0; state < reads.size(); ++state) {
    const Read from = reads[state];
    dfa.accepting_.push_back(reader.Accepts(from));
    std::array<uint16_t, kSymbols>& next = dfa.next_.emplace_back();
    for (size_t symbol = 0; symbol < kSymbols; ++symbol) {
      const std::optional<Read> read = reader.Next(from, kSymbolBytes[symbol]);
      next[symbol] = kDead;
      if (!read) continue;
      const auto [it, added] = ids.try_emplace(*read, static_cast<uint16_t>(reads.size()));
      if (added) reads.push_back(*read);
      next[symbol] = it->second;
    }
    if (reads.size() > kMaxStates) {
      return absl::InvalidArgumentError(
          "the bounds and multipleOf together need too many states; use fewer digits");
    }
  }
  dfa.RemoveDeadStates();
  return dfa;
}

void NumberDfa::RemoveDeadStates() {
  std::vector<std::vector<uint16_t>> from(next_.size());
  for (size_t state = 0; state < next_.size(); ++state) {
    for (const uint16_t next : next_[state]) {
      if (next != kDead) from[next].push_back(static_cast<uint16_t>(state));
    }
  }
  std::vector<bool> live = accepting_;
  std::vector<uint16_t> work;
  for (size_t state = 0; state < live.size(); ++state) {
    if (live[state]) work.push_back(static_cast<uint16_t>(state));
  }
  while (!work.empty()) {
    const uint16_t state = work.back();
    work.pop_back();
    for (const uint16_t previous : from[state]) {
      if (live[previous]) continue;
      live[previous] = true;
      work.push_back(previous);
    }
  }
  for (auto& row : next_) {
    for (uint16_t& next : row) {
      if (next != kDead && !live[next]) next = kDead;
    }
  }
  if (!live[0]) accepting_.clear();
}

}  // namespace infer
