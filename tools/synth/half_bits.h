// SPDX-License-Identifier: Apache-2.0
//
// Finite floats as 16-bit patterns, rounded to nearest, ties to even.
#pragma once

#include <cstdint>

namespace infer {

// IEEE binary16; magnitudes from 65,520 on become infinity.
uint16_t HalfBits(float value);
uint16_t Bfloat16Bits(float value);

}  // namespace infer
