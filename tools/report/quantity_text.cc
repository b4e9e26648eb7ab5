// SPDX-License-Identifier: Apache-2.0
#include "tools/report/quantity_text.h"

#include <array>
#include <cmath>
#include <string_view>

#include "absl/strings/str_format.h"
#include "ir/base/strings.h"
#include "tools/report/text_table.h"

namespace infer {
namespace {

// Formats with three digits: "1.24 ms", "12.4 ms", "124 ms".
template <size_t N>
std::string Scaled(double value, double step, const std::array<std::string_view, N>& units) {
  size_t unit = 0;
  while (value >= step * (1 - 1e-3) && unit + 1 < N) {
    value /= step;
    ++unit;
  }
  int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return absl::StrFormat("%.*f %s", digits, value, ToAbsl(units[unit]));
}

}  // namespace

std::string ExactText(double number) {
  if (number >= 0 && number < 1e18 && number == std::floor(number)) {
    return Grouped(static_cast<uint64_t>(number));
  }
  return absl::StrFormat("%g", number);
}

std::string FlopsText(double flops) {
  return Scaled(flops, 1000,
                std::array<std::string_view, 5>{"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"});
}

std::string BytesText(double bytes) {
  return Scaled(bytes, 1024, std::array<std::string_view, 5>{"B", "KiB", "MiB", "GiB", "TiB"});
}

std::string TimeText(double ns) {
  if (ns <= 0) return "-";
  return Scaled(ns, 1000, std::array<std::string_view, 4>{"ns", "us", "ms", "s"});
}

std::string RangeText(const Range& of) {
  if (of.min == of.max) return StrCat(of.min);
  return StrCat(of.min, "..", of.max);
}

std::string SpanText(const std::string& lowest, const std::string& highest) {
  return lowest == highest ? lowest : StrCat(lowest, "..", highest);
}

std::string LayersText(std::span<const int64_t> layers) {
  std::string text;
  for (size_t first = 0; first < layers.size();) {
    size_t last = first;
    while (last + 1 < layers.size() && layers[last + 1] == layers[last] + 1) ++last;
    StrAppend(&text, text.empty() ? "" : ", ", RangeText({layers[first], layers[last]}));
    first = last + 1;
  }
  return text;
}

size_t DisplayColumns(std::string_view text) {
  size_t columns = 0;
  for (char c : text) columns += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return columns;
}

std::string PadTo(std::string text, size_t columns) {
  size_t used = DisplayColumns(text);
  if (used < columns) text.append(columns - used, ' ');
  return text;
}

std::string PadLeft(const std::string& text, size_t columns) {
  size_t used = DisplayColumns(text);
  return used < columns ? std::string(columns - used, ' ') + text : text;
}

}  // namespace infer
