// SPDX-License-Identifier: Apache-2.0
#include "backends/simd/accepts.h"

#include "backends/scalar/accepts.h"
#include "backends/simd/bound_rope.h"
#include "ir/base/strings.h"

namespace infer::simd {

Decision RotatesHeads(const Node& node) {
  // The heads are the last result: q of attention_inputs comes after its cache.
  const ValueType& heads = node.result(node.num_results() - 1).type;
  const int64_t head_dim = heads.dim(-1).value();
  if (head_dim > kMaxRopeHeadDim) {
    return Decision::Reject(
        StrCat("heads of ", head_dim, "; this kernel rotates heads of up to ", kMaxRopeHeadDim));
  }
  return node.input(0).type().is_tensor() ? scalar::AllF32(node) : Decision::Accept();
}

Decision CacheIs(const Node& node, DType dtype) {
  const ValueType& kv = node.input(0).type();
  if (kv.tensor.dtype == dtype && kv.dim(1).value() % Info(dtype).block_elements != 0) {
    return Decision::Reject(StrCat("heads of ", kv.dim(1).value(), " are not a multiple of ",
                                   Info(dtype).block_elements, ", the ", Name(dtype),
                                   " block size"));
  }
  return scalar::InputIs(node, 0, dtype);
}

}  // namespace infer::simd
