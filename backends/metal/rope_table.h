// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "ir/ops/ops.h"

namespace infer::metal {

// The angle of each pair of a head for one position, as the scalar kernels have it. Computed once
// for each kind of rotation: 64 powers for every layer and call would be 0.1 ms a token. The memory
// stays for the life of the process; a program has one or two kinds.
std::span<const float> RopeTable(const ops::RopeParams& rope, int64_t head_dim);

}  // namespace infer::metal
