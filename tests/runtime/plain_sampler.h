// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "runtime/random.h"
#include "runtime/sampler.h"

namespace infer {

// What Sampler computes, said as plainly as possible: every exponential, every sum, everything
// sorted. No penalties; logits are finite or -inf, and one of them is finite. Temperature is above
// 0.
SampledToken SamplePlainly(const SamplerOptions& options, std::span<const float> logits,
                           Random& random);

}  // namespace infer
