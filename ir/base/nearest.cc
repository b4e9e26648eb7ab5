// SPDX-License-Identifier: Apache-2.0
#include "ir/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ir/base/strings.h"

namespace infer {
namespace {

// Longer words are not compared: the cost grows with the square of the length, and words come from
// files.
constexpr size_t kMaxLength = 64;

// Returns the number of insertions, deletions and replacements that turn a into b.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view Nearest(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > kMaxLength) return {};
  std::string_view best;
  size_t best_edits = std::max<size_t>(2, word.size() / 3) + 1;
  for (std::string_view candidate : candidates) {
    size_t edits = EditDistance(word, candidate);
    if (word.size() >= 3 && candidate.starts_with(word)) edits = std::min<size_t>(edits, 1);
    if (edits < best_edits && edits < candidate.size()) {
      best = candidate;
      best_edits = edits;
    }
  }
  return best;
}

std::string DidYouMean(std::string_view word, std::span<const std::string_view> candidates) {
  std::string_view nearest = Nearest(word, candidates);
  return nearest.empty() ? "" : StrCat(" (did you mean ", nearest, "?)");
}

std::string DidYouMean(std::string_view word, std::span<const std::string> candidates) {
  std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return DidYouMean(word, std::span<const std::string_view>(views));
}

}  // namespace infer
