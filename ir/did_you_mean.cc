// SPDX-License-Identifier: Apache-2.0
#include "ir/did_you_mean.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "ir/strings.h"

namespace infer {
namespace {

// Insertions, deletions and replacements (Levenshtein).
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string DidYouMean(std::string_view name, std::span<const std::string_view> known) {
  name = name.substr(0, 64);  // longer than every name here; bounds the work for hostile text
  // A third of the letters wrong is still a typing error; more is another word.
  size_t best = std::max<size_t>(name.size() / 3, 1) + 1;
  std::string_view nearest;
  for (std::string_view candidate : known) {
    size_t distance = EditDistance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest.empty() ? "" : StrCat("; did you mean '", nearest, "'?");
}

}  // namespace infer
