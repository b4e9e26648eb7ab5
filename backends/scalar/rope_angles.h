// SPDX-License-Identifier: Apache-2.0
//
// Rotary position angles for all CPU targets, which must agree on them to the last bit.
#pragma once

#include <cstdint>

#include "ir/ops/ops.h"

namespace infer::scalar {

// Returns the angle by which pair `pair` of a head turns from one position to the next.
float AnglePerPosition(const ops::RopeParams& rope, int64_t head_dim, int64_t pair);

// Returns the factor that sine and cosine are multiplied by.
double RopeMagnitude(const ops::RopeParams& rope);

}  // namespace infer::scalar
