// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace infer {

// Rows of cells, printed in aligned columns or as CSV. The first row is the heading.
class TextTable {
 public:
  // `alignment` has a letter for each column: 'l' or 'r'.
  explicit TextTable(std::string_view alignment) : alignment_(alignment) {}

  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string Text() const;
  std::string Csv() const;

 private:
  std::string alignment_;
  std::vector<std::vector<std::string>> rows_;
};

std::string HumanBytes(uint64_t bytes);  // "6.0 MiB"
std::string Grouped(uint64_t number);    // "6,282,080"

}  // namespace infer
