// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/backends/conformance/case_data.h"

namespace infer::conformance {

// As ProductSigmas, of a product with the matrices that `ids` name.
std::vector<double> ExpertSigmas(const TestTensor& x, const TestTensor& weight,
                                 const TestTensor& ids, const SymbolValues& symbols, bool rounds);

// Of silu(x gate) * (x up), to first order and for the product of both errors.
std::vector<double> ExpertSwigluSigmas(const CaseData& data, bool rounds);

// For each element of combine: the sum of the absolute values of its terms.
std::vector<double> CombineSums(const CaseData& data);

}  // namespace infer::conformance
