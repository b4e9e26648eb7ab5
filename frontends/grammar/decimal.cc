// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>

#include "absl/status/status.h"
#include "frontends/grammar/number_dfa.h"
#include "ir/base/strings.h"

namespace infer {
namespace {

int CompareMagnitudes(const Decimal& a, const Decimal& b) {
  if (a.integer.size() != b.integer.size()) return a.integer.size() < b.integer.size() ? -1 : 1;
  if (const int order = a.integer.compare(b.integer); order != 0) return order;
  return a.fraction.compare(b.fraction);  // a prefix is smaller, and the rest is not all zeros
}

}  // namespace

absl::StatusOr<Decimal> Decimal::Parse(std::string_view text) {
  Decimal decimal;
  std::string_view rest = text;
  if (rest.starts_with('-')) {
    decimal.is_negative = true;
    rest.remove_prefix(1);
  }
  int exponent = 0;
  if (const size_t e = rest.find_first_of("eE"); e != rest.npos) {
    std::string_view digits = rest.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    const bool is_usable = error == std::errc() && end == digits.data() + digits.size() &&
                           exponent >= -kMaxDigits && exponent <= kMaxDigits;
    if (!is_usable)
      return absl::InvalidArgumentError(StrCat("the exponent of ", text, " is out of range"));
    rest = rest.substr(0, e);
  }
  const size_t point = std::min(rest.find('.'), rest.size());
  std::string digits(rest.substr(0, point));
  if (point < rest.size()) digits += rest.substr(point + 1);
  int before = static_cast<int>(point) + exponent;  // digits in front of the point
  if (before < 0) {
    digits.insert(0, static_cast<size_t>(-before), '0');
    before = 0;
  }
  if (static_cast<size_t>(before) > digits.size()) {
    digits.append(static_cast<size_t>(before) - digits.size(), '0');
  }
  decimal.integer = digits.substr(0, static_cast<size_t>(before));
  decimal.fraction = digits.substr(static_cast<size_t>(before));
  decimal.integer.erase(0, decimal.integer.find_first_not_of('0'));
  if (decimal.integer.empty()) decimal.integer = "0";
  decimal.fraction.erase(decimal.fraction.find_last_not_of('0') + 1);
  if (decimal.integer.size() + decimal.fraction.size() > kMaxDigits) {
    return absl::InvalidArgumentError(StrCat(text, " has more than ", kMaxDigits, " digits"));
  }
  if (decimal.IsZero()) decimal.is_negative = false;
  return decimal;
}

int Compare(const Decimal& a, const Decimal& b) {
  if (a.is_negative != b.is_negative) return a.is_negative ? -1 : 1;
  const int order = CompareMagnitudes(a, b);
  return a.is_negative ? -order : order;
}

}  // namespace infer
