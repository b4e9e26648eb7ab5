// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace infer {

// Whether an input is of the one in `count` that also get what takes much longer than parsing. By
// the input alone, so that a find happens again.
inline bool IsOneIn(size_t count, std::string_view input) {
  return std::hash<std::string_view>{}(input) % count == 0;
}

}  // namespace infer
