// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/backends/conformance/case_data.h"

namespace infer::conformance {

// Standard deviations of the error that each element of a product may have, by tolerances.h.
// `rounds`: the kernel may round activations to the precision of the weight.
std::vector<double> ProductSigmas(const TestTensor& x, const TestTensor& weight,
                                  const SymbolValues& symbols, bool rounds);

// The same of a product of two matrices of floats: b has the inner size as its rows.
std::vector<double> MatmulSigmas(const TestTensor& a, const TestTensor& b,
                                 const SymbolValues& symbols);

}  // namespace infer::conformance
