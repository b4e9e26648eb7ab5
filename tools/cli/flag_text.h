// SPDX-License-Identifier: Apache-2.0
//
// Converts between values and the text of a command line, environment variable or config file.
// Errors describe only what is wrong with the text; the caller puts the flag's name in front.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/base/strings.h"

namespace infer {

// Parses the whole text as a decimal number: no sign for unsigned types, no white space.
template <class T>
absl::StatusOr<T> ParseInt(std::string_view text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return absl::InvalidArgumentError(StrCat("'", text, "' is out of range, allowed is ",
                                             std::numeric_limits<T>::min(), " to ",
                                             std::numeric_limits<T>::max()));
  }
  if (error != std::errc() || end != text.data() + text.size()) {
    return absl::InvalidArgumentError(StrCat("'", text, "' is not a whole number"));
  }
  return value;
}

// Parses a finite number, decimal or scientific.
absl::StatusOr<double> ParseFloat(std::string_view text);

// Parses a number with an optional suffix k, M, G or T (powers of 1024; 'KiB', 'MB' and lower case
// mean the same): "4k" = 4096, "1.5G".
absl::StatusOr<uint64_t> ParseSize(std::string_view text);
// Formats with the largest suffix that divides the value: 4096 -> "4k".
std::string SizeText(uint64_t value);

// Accepts true/false, on/off, yes/no, 1/0.
absl::StatusOr<bool> ParseBool(std::string_view text);

std::string FloatText(double value);

// Keeps empty parts: "1,,2" has three.
std::vector<std::string> SplitWords(std::string_view text, char separator);
std::string JoinWords(const std::vector<std::string>& words, std::string_view separator);

// Returns "'f15' is not one of f16, f32 (did you mean f16?)".
absl::Status UnknownWord(std::string_view word, const std::vector<std::string>& allowed);

}  // namespace infer
