// SPDX-License-Identifier: Apache-2.0
//
// linear with q6_k weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_q6_k")]] kernel decltype(Matvec<WeightQ6_K>) Matvec<WeightQ6_K>;
template [[host_name("matmat_q6_k")]] kernel decltype(Matmat<WeightQ6_K>) Matmat<WeightQ6_K>;
