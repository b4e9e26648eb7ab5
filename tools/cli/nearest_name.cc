// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ir/strings.h"

namespace infer {
namespace {

size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string_view NearestName(std::string_view word, std::span<const std::string> candidates) {
  // A third of the letters wrong is still recognisably the same word; at least two, so that a swap
  // in a short name counts.
  size_t best_distance = std::max<size_t>(2, word.size() / 3) + 1;
  std::string_view best;
  for (const std::string& candidate : candidates) {
    size_t distance = EditDistance(word, candidate);
    // The beginning of a name was most likely meant as its abbreviation.
    if (word.size() >= 3 && candidate.starts_with(word)) distance = std::min<size_t>(distance, 1);
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string> candidates) {
  std::string_view nearest = NearestName(word, candidates);
  return nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)");
}

}  // namespace infer
