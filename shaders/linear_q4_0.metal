// SPDX-License-Identifier: Apache-2.0
//
// linear with q4_0 weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_q4_0")]] kernel decltype(Matvec<WeightQ4_0>) Matvec<WeightQ4_0>;
template [[host_name("matmat_q4_0")]] kernel decltype(Matmat<WeightQ4_0>) Matmat<WeightQ4_0>;
