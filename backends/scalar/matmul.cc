// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/ops.h"

namespace infer::scalar {

namespace {

// Computes `kColumns` adjacent columns of the result in rows [begin, end). Several columns at once
// read b along its rows; each element is still one sum over k from first to last.
template <int kColumns>
void MatmulColumns(const KernelArgs& args, int64_t begin, int64_t end, int64_t first_column) {
  const int64_t inner = args.in(0).columns();
  const int64_t columns = args.out().columns();
  for (int64_t row = begin; row < end; ++row) {
    const float* a = args.in(0).f32() + row * inner;
    const float* b = args.in(1).f32() + first_column;
    double sums[kColumns] = {};
    for (int64_t k = 0; k < inner; ++k, b += columns) {
      for (int i = 0; i < kColumns; ++i) sums[i] += static_cast<double>(a[k]) * b[i];
    }
    float* out = args.out().mutable_f32() + row * columns + first_column;
    for (int i = 0; i < kColumns; ++i) out[i] = static_cast<float>(sums[i]);
  }
}

}  // namespace

void Matmul(const KernelArgs& args, int64_t begin, int64_t end) {
  const int64_t columns = args.out().columns();
  int64_t column = 0;
  for (; column + 8 <= columns; column += 8) MatmulColumns<8>(args, begin, end, column);
  for (; column < columns; ++column) MatmulColumns<1>(args, begin, end, column);
}

}  // namespace infer::scalar
