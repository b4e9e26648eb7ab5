// SPDX-License-Identifier: Apache-2.0
//
// linear with f32 weights.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

#include "args.h"
using namespace infer::shader;

#include "weights.h"
#include "linear.h"

template [[host_name("matvec_f32")]] kernel decltype(Matvec<WeightF32>) Matvec<WeightF32>;
template [[host_name("matmat_f32")]] kernel decltype(Matmat<WeightF32>) Matmat<WeightF32>;
