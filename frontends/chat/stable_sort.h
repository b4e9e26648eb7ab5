// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace infer::chat {

// Sorts by merging. Unlike std::sort it needs no consistent order, which a template's values may
// lack (NaN, values of types that cannot be compared).
template <class T, class Less>
void StableSort(std::vector<T>* items, const Less& less) {
  std::vector<T> merged(items->size());
  for (size_t width = 1; width < items->size(); width *= 2) {
    for (size_t begin = 0; begin < items->size(); begin += 2 * width) {
      const size_t middle = std::min(begin + width, items->size());
      const size_t end = std::min(middle + width, items->size());
      size_t left = begin;
      size_t right = middle;
      for (size_t out = begin; out < end; ++out) {
        const bool take_right =
            left == middle || (right < end && less((*items)[right], (*items)[left]));
        merged[out] = std::move((*items)[take_right ? right++ : left++]);
      }
    }
    std::swap(*items, merged);
  }
}

}  // namespace infer::chat
