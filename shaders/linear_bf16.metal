// SPDX-License-Identifier: Apache-2.0
//
// linear with bf16 weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_bf16")]] kernel decltype(Matvec<WeightBF16>) Matvec<WeightBF16>;
template [[host_name("matmat_bf16")]] kernel decltype(Matmat<WeightBF16>) Matmat<WeightBF16>;
