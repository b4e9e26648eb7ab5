// SPDX-License-Identifier: Apache-2.0
//
// Elementwise ops, using the functions of the bound level.
#include <cmath>

#include "backends/simd/bound_vector.h"
#include "backends/simd/ops.h"

namespace infer::simd {
namespace {

// The second operand may be a single row that applies to all.
template <auto kFunction>
void BinaryRows(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  const bool y_is_vector = args.in(1).rank < args.in(0).rank;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t at = row * columns;
    (vector.*kFunction)(args.in(0).f32() + at, args.in(1).f32() + (y_is_vector ? 0 : at), columns,
                        args.out().mutable_f32() + at);
  }
}

}  // namespace

void Add(const KernelArgs& args, int64_t begin, int64_t end) {
  BinaryRows<&VectorKernels::add>(args, begin, end);
}

void Mul(const KernelArgs& args, int64_t begin, int64_t end) {
  BinaryRows<&VectorKernels::mul>(args, begin, end);
}

void AddScalar(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  vector.add_scalar(args.in(0).f32() + begin * columns, static_cast<float>(args.attr<double>(0)),
                    (end - begin) * columns, args.out().mutable_f32() + begin * columns);
}

void Scale(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  vector.scale(args.in(0).f32() + begin * columns, static_cast<float>(args.attr<double>(0)),
               (end - begin) * columns, args.out().mutable_f32() + begin * columns);
}

void Silu(const KernelArgs& args, int64_t begin, int64_t end) {
  const VectorKernels& vector = BoundVector(args);
  const int64_t columns = args.out().columns();
  vector.silu(args.in(0).f32() + begin * columns, (end - begin) * columns,
              args.out().mutable_f32() + begin * columns);
}

// One element per row in the decomposition of a norm, so a plain loop.
void Rsqrt(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  for (int64_t i = begin * columns; i < end * columns; ++i) {
    args.out().mutable_f32()[i] = 1.0f / std::sqrt(args.in(0).f32()[i]);
  }
}

}  // namespace infer::simd
