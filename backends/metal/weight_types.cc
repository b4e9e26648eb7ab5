// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/weight_types.h"

namespace infer::metal {
namespace {

// clang-format off
constexpr WeightType kTypes[] = {
    {DType::kF32,  "linear_f32",  "matvec_f32",  "matmat_f32",  "embed_f32",  2, 4},
    {DType::kF16,  "linear_f16",  "matvec_f16",  "matmat_f16",  "embed_f16",  2, 4},
    {DType::kBF16, "linear_bf16", "matvec_bf16", "matmat_bf16", "embed_bf16", 2, 4},
    {DType::kQ8_0, "linear_q8_0", "matvec_q8_0", "matmat_q8_0", "embed_q8_0", 2, 4},
    {DType::kQ4_0, "linear_q4_0", "matvec_q4_0", "matmat_q4_0", "embed_q4_0", 4, 2},
    {DType::kQ4_K, "linear_q4_k", "matvec_q4_k", "matmat_q4_k", "embed_q4_k", 2, 2},
    {DType::kQ6_K, "linear_q6_k", "matvec_q6_k", "matmat_q6_k", "embed_q6_k", 2, 2},
};
// clang-format on

}  // namespace

const WeightType* FindWeight(DType dtype) {
  for (const WeightType& type : kTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

}  // namespace infer::metal
