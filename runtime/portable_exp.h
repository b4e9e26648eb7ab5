// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace infer {

// Returns e^x for x <= 0, to within 2 units in the last place; 0 below -708, where the result would
// leave the normal range. C libraries round exp() differently in the last bit, which is enough to
// change a sampled token; this one consists of IEEE additions and multiplications only, and its
// file is compiled without contraction to fused operations, so it gives the same bits everywhere.
double PortableExp(double x);

// Replaces every element by its PortableExp, bit for bit, several at a time.
void PortableExpInPlace(std::span<double> values);

}  // namespace infer
