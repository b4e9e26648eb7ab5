// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/top_k.h"
#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {

// The probabilities of a row are in the thread's memory.
void Route(const KernelArgs& args, int64_t begin, int64_t end) {
  const ops::TopKParams params = ops::TopKOf(args.attrs);
  const int64_t experts = args.in(0).columns();
  float* probabilities = reinterpret_cast<float*>(args.scratch);
  for (int64_t row = begin; row < end; ++row) {
    BoundVector(args).softmax(args.in(0).f32() + row * experts, experts, probabilities);
    scalar::TopKOfRow(probabilities, experts, params, args.out(0).mutable_i32() + row * params.k,
                      args.out(1).mutable_f32() + row * params.k);
  }
}

uint64_t RouteScratchBytes(const Node& node, const SymbolRanges&) {
  return sizeof(float) * static_cast<uint64_t>(node.input(0).type().dim(1).value());
}

}  // namespace infer::simd
