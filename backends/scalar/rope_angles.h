// SPDX-License-Identifier: Apache-2.0
//
// The angles of rotary positions, for all CPU targets: they must agree on them to the last bit.
#pragma once

#include <cstdint>

#include "ir/ops/ops.h"

namespace infer::scalar {

// By how much a pair (i, i + head_dim / 2) turns from one position to the next.
float AnglePerPosition(const ops::RopeParams& rope, int64_t head_dim, int64_t pair);

// What sine and cosine are multiplied by.
double RopeMagnitude(const ops::RopeParams& rope);

}  // namespace infer::scalar
