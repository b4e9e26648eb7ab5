// SPDX-License-Identifier: Apache-2.0
//
// linear with f16 weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_f16")]] kernel decltype(Matvec<WeightF16>) Matvec<WeightF16>;
template [[host_name("matmat_f16")]] kernel decltype(Matmat<WeightF16>) Matmat<WeightF16>;
