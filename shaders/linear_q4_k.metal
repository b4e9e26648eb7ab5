// SPDX-License-Identifier: Apache-2.0
//
// linear with q4_k weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_q4_k")]] kernel decltype(Matvec<WeightQ4_K>) Matvec<WeightQ4_K>;
template [[host_name("matmat_q4_k")]] kernel decltype(Matmat<WeightQ4_K>) Matmat<WeightQ4_K>;
