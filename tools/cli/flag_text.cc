// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/flag_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "ir/base/checked_math.h"
#include "ir/base/nearest.h"

namespace infer {
namespace {

constexpr std::string_view kSuffixes = "kmgt";  // index i: 1024^(i+1)

absl::Status NotASize(std::string_view text) {
  return absl::InvalidArgumentError(
      StrCat("'", text, "' is not a size; give a number with an optional k, M, G or T"));
}

}  // namespace

absl::StatusOr<double> ParseFloat(std::string_view text) {
  double value = 0;
  bool plain = !text.empty() && std::isspace(static_cast<unsigned char>(text.front())) == 0 &&
               std::isspace(static_cast<unsigned char>(text.back())) == 0;
  if (!plain || !absl::SimpleAtod(ToAbsl(text), &value) || !std::isfinite(value)) {
    return absl::InvalidArgumentError(StrCat("'", text, "' is not a finite number"));
  }
  return value;
}

absl::StatusOr<uint64_t> ParseSize(std::string_view text) {
  size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view number = text.substr(0, digits);
  std::string suffix(text.substr(digits));
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  uint64_t unit = 1;
  if (!suffix.empty()) {
    size_t power = kSuffixes.find(suffix.front());
    std::string_view rest = std::string_view(suffix).substr(1);
    if (power == std::string_view::npos || !(rest.empty() || rest == "b" || rest == "ib")) {
      return NotASize(text);
    }
    unit = uint64_t{1} << (10 * (power + 1));
  }
  if (number.find('.') != std::string_view::npos) {
    absl::StatusOr<double> value = ParseFloat(number);
    // Below 2^63 the product is exact enough in a double and certainly fits a uint64_t.
    if (!value.ok() || *value * static_cast<double>(unit) >= 9223372036854775808.0) {
      return NotASize(text);
    }
    return static_cast<uint64_t>(*value * static_cast<double>(unit));
  }
  absl::StatusOr<uint64_t> value = ParseInt<uint64_t>(number);
  if (!value.ok()) return NotASize(text);
  std::optional<uint64_t> product = CheckedMul(*value, unit);
  if (!product) return absl::InvalidArgumentError(StrCat("'", text, "' is more than 2^64"));
  return *product;
}

std::string SizeText(uint64_t value) {
  size_t power = 0;
  while (value != 0 && value % 1024 == 0 && power < kSuffixes.size()) {
    value /= 1024;
    ++power;
  }
  return power == 0 ? StrCat(value) : StrCat(value, std::string_view("kMGT").substr(power - 1, 1));
}

absl::StatusOr<bool> ParseBool(std::string_view text) {
  for (std::string_view yes : {"true", "on", "yes", "1"}) {
    if (text == yes) return true;
  }
  for (std::string_view no : {"false", "off", "no", "0"}) {
    if (text == no) return false;
  }
  return absl::InvalidArgumentError(StrCat("'", text, "' is not true or false"));
}

std::string FloatText(double value) { return absl::StrFormat("%g", value); }

std::vector<std::string> SplitWords(std::string_view text, char separator) {
  std::vector<std::string> words;
  for (;;) {
    size_t end = std::min(text.find(separator), text.size());
    words.emplace_back(text.substr(0, end));
    if (end == text.size()) return words;
    text.remove_prefix(end + 1);
  }
}

std::string JoinWords(const std::vector<std::string>& words, std::string_view separator) {
  std::string joined;
  for (const std::string& word : words) {
    if (&word != &words.front()) joined += separator;
    joined += word;
  }
  return joined;
}

absl::Status UnknownWord(std::string_view word, const std::vector<std::string>& allowed) {
  return absl::InvalidArgumentError(
      StrCat("'", word, "' is not one of ", JoinWords(allowed, ", "), DidYouMean(word, allowed)));
}

}  // namespace infer
