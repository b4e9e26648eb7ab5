// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace infer {

// e^x for x <= 0, to within 2 units in the last place; 0 below -708, where the result would leave
// the normal range. C libraries round exp() differently in the last bit, which is enough to turn a
// draw; this one is made of IEEE additions and multiplications alone, and its file is compiled
// without contraction to fused operations, so it gives the same bits everywhere.
double PortableExp(double x);

// Replaces every element by PortableExp of it, bit for bit, several at a time.
void PortableExpInPlace(std::span<double> values);

}  // namespace infer
