// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace infer {

// How often a kernel, a back end, a level or a packed weight has been looked up in this process.
// Everything is bound before the first call, so a call must not change it; counted in builds with
// asserts only.
inline std::atomic<int64_t> lookup_count = 0;

inline void CountLookup() {
#ifndef NDEBUG
  lookup_count.fetch_add(1, std::memory_order_relaxed);
#endif
}

}  // namespace infer
