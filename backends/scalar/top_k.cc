// SPDX-License-Identifier: Apache-2.0
#include "backends/scalar/top_k.h"

#include <cmath>

#include "backends/scalar/ops.h"

namespace infer::scalar {

namespace {

bool Larger(float a, float b) { return std::isnan(a) ? !std::isnan(b) : a > b; }

}  // namespace

void TopKOfRow(const float* x, int64_t columns, const ops::TopKParams& params, int32_t* ids,
               float* values) {
  const int64_t k = params.k;
  int64_t taken = 0;
  for (int64_t i = 0; i < columns; ++i) {
    if (taken == k && !Larger(x[i], values[k - 1])) continue;
    int64_t at = taken < k ? taken++ : k - 1;
    for (; at > 0 && Larger(x[i], values[at - 1]); --at) {
      ids[at] = ids[at - 1];
      values[at] = values[at - 1];
    }
    ids[at] = static_cast<int32_t>(i);
    values[at] = x[i];
  }
  if (!params.normed) return;
  double sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += values[i];
  for (int64_t i = 0; i < k; ++i) values[i] = static_cast<float>(values[i] / sum);
}

void TopK(const KernelArgs& args, int64_t begin, int64_t end) {
  const ops::TopKParams params = ops::TopKOf(args.attrs);
  const int64_t columns = args.in(0).columns();
  for (int64_t row = begin; row < end; ++row) {
    TopKOfRow(args.in(0).f32() + row * columns, columns, params,
              args.out(0).mutable_i32() + row * params.k,
              args.out(1).mutable_f32() + row * params.k);
  }
}

}  // namespace infer::scalar
