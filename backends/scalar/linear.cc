// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/dequantize_row.h"
#include "backends/scalar/dot.h"
#include "backends/scalar/ops.h"

namespace infer::scalar {

// A unit is a weight row, which is one column of the result. The row is widened to floats once and
// then used for every token: widening costs as much as a dot product.
void Linear(const KernelArgs& args, int64_t begin, int64_t end) {
  const TensorView& x = args.in(0);
  const TensorView& weight = args.in(1);
  const TensorView& out = args.out();
  const int64_t columns = weight.columns();
  const uint64_t row_bytes = formats::RowBytes(weight.dtype, columns);
  float* row = reinterpret_cast<float*>(args.workspace);
  for (int64_t unit = begin; unit < end; ++unit) {
    formats::DequantizeRow(weight.dtype, weight.data + unit * row_bytes, columns, row);
    for (int64_t token = 0; token < x.rows(); ++token) {
      const double sum = Dot(x.f32() + token * columns, row, columns);
      out.mutable_f32()[token * out.columns() + unit] = static_cast<float>(sum);
    }
  }
}

}  // namespace infer::scalar
