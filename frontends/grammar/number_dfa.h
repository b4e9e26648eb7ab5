// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/grammar/compile_budget.h"

namespace infer {

// A decimal number: digits before and after the point, without superfluous zeros.
struct Decimal {
  bool is_negative = false;
  std::string integer = "0";
  std::string fraction;

  bool IsZero() const { return integer == "0" && fraction.empty(); }
  friend bool operator==(const Decimal&, const Decimal&) = default;

  // Reads a JSON number. Fails if it has more than kMaxDigits digits without its exponent.
  static constexpr int kMaxDigits = 330;
  static absl::StatusOr<Decimal> Parse(std::string_view text);
};
// Negative, zero or positive, as a - b is.
int Compare(const Decimal& a, const Decimal& b);

struct NumberBounds {
  bool is_integer = false;  // no fraction and no exponent
  std::optional<Decimal> min, max;
  bool excludes_min = false, excludes_max = false;
  std::optional<Decimal> multiple_of;  // above 0
};

// Accepts the spellings of the numbers within bounds, and has no dead ends. Numbers with bounds
// have no exponent, whose value an automaton cannot compare. The digits before and after the point
// and the exponent are limited, so that no number overflows a double.
class NumberDfa {
 public:
  static constexpr uint16_t kDead = UINT16_MAX;
  static constexpr int kMaxIntegerDigits = 32, kMaxFractionDigits = 32, kMaxExponent = 269;

  static absl::StatusOr<NumberDfa> Create(const NumberBounds& bounds, CompileBudget* budget);

  bool empty() const { return accepting_.empty(); }
  size_t states() const { return next_.size(); }
  uint16_t start() const { return 0; }
  bool accepts(uint16_t state) const { return accepting_[state]; }
  uint16_t Next(uint16_t state, uint8_t byte) const;

 private:
  static constexpr int kSymbols = 14;
  static int SymbolOf(uint8_t byte);
  void RemoveDeadStates();

  std::vector<std::array<uint16_t, kSymbols>> next_;
  std::vector<bool> accepting_;
};

}  // namespace infer
