// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace infer {

// Says whether a list that grows has an element already: a short list is searched, which is the
// usual case and the fastest, and a long one has an index beside it.
template <class T>
class SeenIn {
 public:
  // Returns whether `list` has `element`. If not, the caller adds it, or nothing more to the list.
  bool Has(const std::vector<T>& list, const T& element) {
    if (list.size() <= kFew) return std::ranges::find(list, element) != list.end();
    if (index_.empty()) index_.insert(list.begin(), list.end());
    return !index_.insert(element).second;
  }
  void Clear() {
    if (!index_.empty()) index_.clear();
  }

 private:
  static constexpr size_t kFew = 16;
  absl::flat_hash_set<T> index_;
};

}  // namespace infer
