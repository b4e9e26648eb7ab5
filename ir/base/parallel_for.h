// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace infer {

// Calls body(i) for every i below `count`, in any order and possibly from several threads, and
// returns when all calls have returned. The owner of the threads passes it in, so that passes,
// frontends and the runtime do not depend on a thread library.
using ParallelFor =
    std::function<void(int64_t count, const std::function<void(int64_t index)>& body)>;

inline void SerialFor(int64_t count, const std::function<void(int64_t)>& body) {
  for (int64_t i = 0; i < count; ++i) body(i);
}

}  // namespace infer
