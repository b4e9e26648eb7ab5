// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace infer::simd {

constexpr uint64_t AlignUp(uint64_t value, uint64_t to) { return (value + to - 1) / to * to; }
constexpr uint64_t FloatBytes(int64_t count) {
  return sizeof(float) * static_cast<uint64_t>(count);
}

}  // namespace infer::simd
