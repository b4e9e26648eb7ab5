// SPDX-License-Identifier: Apache-2.0
#include "backends/formats/dequantize_row.h"
#include "backends/scalar/ops.h"

namespace infer::scalar {

void Embed(const KernelArgs& args, int64_t begin, int64_t end) {
  const TensorView& table = args.in(0);
  const int64_t columns = table.columns();
  const uint64_t row_bytes = formats::RowBytes(table.dtype, columns);
  for (int64_t i = begin; i < end; ++i) {
    const int32_t token = args.in(1).i32()[i];
    formats::DequantizeRow(table.dtype, table.data + token * row_bytes, columns,
                           args.out().mutable_f32() + i * columns);
  }
}

}  // namespace infer::scalar
