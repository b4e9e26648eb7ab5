// SPDX-License-Identifier: Apache-2.0
//
// Launches of row-wise ops that other kernels need as a part.
#pragma once

#include <vector>

#include "backends/cuda/launch.h"

namespace infer::cuda {

void AddRmsNorm(const TensorView& x, const float* weight, float eps, const TensorView& result,
                std::vector<Launch>& out);
// `fast`: with the bits of products of one token.
void AddSwiglu(const TensorView& gate, const TensorView& up, const TensorView& result, bool fast,
               std::vector<Launch>& out);

}  // namespace infer::cuda
