// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "runtime/verify/value_comparer.h"

namespace infer {

// Returns a table of the worst deviation of each op, how much was compared, what the numbers mean,
// the node that came nearest to its tolerance, and the first node beyond it. Without a final
// newline. `tested` and `expected` are names of policies.
std::string ComparisonText(const RunComparison& comparison, std::string_view tested,
                           std::string_view expected);
// Returns the same as one line of JSON.
std::string ComparisonJson(const RunComparison& comparison, std::string_view tested,
                           std::string_view expected);

// Returns "layer.0/ffn/gated (swiglu on simd by swiglu_f32_simd, rule everything): ...".
std::string DeviationText(const Deviation& deviation);

}  // namespace infer
