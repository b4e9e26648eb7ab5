// SPDX-License-Identifier: Apache-2.0
//
// linear with q8_0 weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_q8_0")]] kernel decltype(Matvec<WeightQ8_0>) Matvec<WeightQ8_0>;
template [[host_name("matmat_q8_0")]] kernel decltype(Matmat<WeightQ8_0>) Matmat<WeightQ8_0>;
