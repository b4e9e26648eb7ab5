// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>

namespace infer {

// Calls body(i) for each i in [0, count), in any order and possibly at once. Injected, so that
// passes and frontends never include a threading library.
using ParallelFor = std::function<void(size_t count, const std::function<void(size_t)>& body)>;

inline void SerialFor(size_t count, const std::function<void(size_t)>& body) {
  for (size_t i = 0; i < count; ++i) body(i);
}

}  // namespace infer
