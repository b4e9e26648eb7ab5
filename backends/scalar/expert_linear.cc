// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "backends/formats/dequantize_row.h"
#include "backends/scalar/dot.h"
#include "backends/scalar/ops.h"

namespace infer::scalar {

namespace {

// Writes the places of the rows of `expert` in the result and returns their number.
int64_t FindPlaces(const TensorView& ids, int64_t expert, int32_t* places) {
  int64_t count = 0;
  for (int64_t place = 0; place < ids.elements(); ++place) {
    if (ids.i32()[place] == expert) places[count++] = static_cast<int32_t>(place);
  }
  return count;
}

// The rows of experts that do not exist.
void FillUnknown(const TensorView& ids, int64_t experts, const TensorView& out) {
  for (int64_t place = 0; place < ids.elements(); ++place) {
    if (ids.i32()[place] >= 0 && ids.i32()[place] < experts) continue;
    float* row = out.mutable_f32() + place * out.columns();
    for (int64_t i = 0; i < out.columns(); ++i) row[i] = std::numeric_limits<float>::quiet_NaN();
  }
}

}  // namespace

// A unit is a row of an expert's matrix, widened once for all rows of x that use this expert. x has
// a row per token or, of rank 3, one for each expert of a token.
void ExpertLinear(const KernelArgs& args, int64_t begin, int64_t end) {
  const TensorView& x = args.in(0);
  const TensorView& weight = args.in(1);
  const TensorView& ids = args.in(2);
  const int64_t columns = weight.columns(), outputs = weight.dim(1);
  const int64_t places_per_row = x.rank == 2 ? ids.columns() : 1;
  const uint64_t row_bytes = formats::RowBytes(weight.dtype, columns);
  float* row = reinterpret_cast<float*>(args.workspace);
  int32_t* places = reinterpret_cast<int32_t*>(row + columns);
  if (begin == 0) FillUnknown(ids, weight.dim(0), args.out());
  int64_t expert = -1, count = 0;
  for (int64_t unit = begin; unit < end; ++unit) {
    if (unit / outputs != expert) {
      expert = unit / outputs;
      count = FindPlaces(ids, expert, places);
    }
    if (count == 0) continue;
    formats::DequantizeRow(weight.dtype, weight.data + unit * row_bytes, columns, row);
    for (int64_t i = 0; i < count; ++i) {
      const double sum = Dot(x.f32() + places[i] / places_per_row * columns, row, columns);
      args.out().mutable_f32()[places[i] * outputs + unit % outputs] = static_cast<float>(sum);
    }
  }
}

}  // namespace infer::scalar
