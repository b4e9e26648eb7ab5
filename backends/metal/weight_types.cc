// SPDX-License-Identifier: Apache-2.0
#include "backends/metal/weight_types.h"

namespace infer::metal {
const WeightType* FindWeight(DType dtype) {
  for (const WeightType& type : kWeightTypes) {
    if (type.dtype == dtype) return &type;
  }
  return nullptr;
}

}  // namespace infer::metal
