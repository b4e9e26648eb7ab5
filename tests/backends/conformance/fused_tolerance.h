// SPDX-License-Identifier: Apache-2.0
//
// Errors of products that are joined with a norm, a residual or swiglu, as standard deviations; see
// tolerances.h.
#pragma once

#include <vector>

#include "tests/backends/conformance/case_data.h"

namespace infer::conformance {

std::vector<double> LinearAddSigmas(const CaseData& data, bool rounds);
// Of the result with that number.
std::vector<double> NormLinearSigmas(const CaseData& data, int result, bool rounds);
std::vector<double> NormSwigluSigmas(const CaseData& data, bool rounds);
// Of swiglu, from the products of gate and up and their errors.
std::vector<double> SwigluSigmas(const std::vector<double>& gate,
                                 const std::vector<double>& gate_sigmas,
                                 const std::vector<double>& up,
                                 const std::vector<double>& up_sigmas);
// x times the transposed matrix.
std::vector<double> ProductWith(const std::vector<float>& x, const TestTensor& matrix);

}  // namespace infer::conformance
