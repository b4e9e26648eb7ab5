// SPDX-License-Identifier: Apache-2.0
#include "tools/api/report/text_table.h"

#include <algorithm>

#include "absl/strings/str_format.h"

namespace infer {
namespace {

std::string CsvCell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (char c : cell) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string TextTable::Text() const {
  std::vector<size_t> widths(alignment_.size(), 0);
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += "  ";
      const std::string pad(widths[i] - row[i].size(), ' ');
      const bool is_last = i + 1 == row.size();
      out += alignment_[i] == 'r' ? pad + row[i] : is_last ? row[i] : row[i] + pad;
    }
    out += '\n';
  }
  return out;
}

std::string TextTable::Csv() const {
  std::string out;
  for (const std::vector<std::string>& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += ',';
      out += CsvCell(row[i]);
    }
    out += '\n';
  }
  return out;
}

std::string HumanBytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  if (unit == 0) return absl::StrFormat("%d B", bytes);
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string Grouped(uint64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

}  // namespace infer
