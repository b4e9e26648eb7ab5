// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace infer {

// Counts the lookups of kernels, back ends, levels and packed weights in this process. Everything
// is bound before the first call, so a call must not change it. Counted only in builds with
// asserts.
inline std::atomic<int64_t> lookup_count = 0;

inline void CountLookup() {
#ifndef NDEBUG
  lookup_count.fetch_add(1, std::memory_order_relaxed);
#endif
}

}  // namespace infer
