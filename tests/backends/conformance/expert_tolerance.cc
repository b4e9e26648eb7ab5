// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/expert_tolerance.h"

#include <algorithm>
#include <cmath>

#include "backends/formats/dequantize_row.h"
#include "tests/backends/conformance/fused_tolerance.h"
#include "tests/backends/conformance/product_tolerance.h"

namespace infer::conformance {
namespace {

// The row of x from which row `place` of the result is computed.
int64_t RowOf(const TestTensor& x, const TestTensor& ids, int64_t place) {
  return x.type.rank() == 2 ? place / ids.type.dim(1).value() : place;
}

TestTensor MatrixOf(const TestTensor& weight, int32_t expert) {
  const size_t bytes = weight.bytes.size() / weight.type.dim(0).value();
  return RawTensor(
      weight.type.tensor.dtype, {weight.type.dim(1), weight.type.dim(2)},
      {weight.bytes.begin() + expert * bytes, weight.bytes.begin() + (expert + 1) * bytes});
}

// Takes row `place` of the result from what `of` computes for all rows of x with one matrix.
template <class Function>
std::vector<double> ByExpert(const TestTensor& x, const TestTensor& weight, const TestTensor& ids,
                             const Function& of) {
  const int64_t experts = weight.type.dim(0).value(), outputs = weight.type.dim(1).value();
  const std::vector<int32_t> names = ids.ints();
  std::vector<double> result(names.size() * outputs);
  for (int32_t expert = 0; expert < experts; ++expert) {
    const std::vector<double> all = of(MatrixOf(weight, expert));
    for (size_t place = 0; place < names.size(); ++place) {
      if (names[place] != expert) continue;
      std::copy_n(all.begin() + RowOf(x, ids, static_cast<int64_t>(place)) * outputs, outputs,
                  result.begin() + static_cast<int64_t>(place) * outputs);
    }
  }
  return result;
}

}  // namespace

std::vector<double> ExpertSigmas(const TestTensor& x, const TestTensor& weight,
                                 const TestTensor& ids, const SymbolValues& symbols, bool rounds) {
  return ByExpert(x, weight, ids, [&](const TestTensor& matrix) {
    return ProductSigmas(x, matrix, symbols, rounds);
  });
}

std::vector<double> ExpertSwigluSigmas(const CaseData& data, bool rounds) {
  const TestTensor& x = data.inputs[0].tensor;
  const TestTensor& ids = data.inputs[3].tensor;
  const std::vector<float> values = x.floats();
  std::vector<double> product[2], sigma[2];  // of gate and up
  for (int i = 0; i < 2; ++i) {
    const TestTensor& weight = data.inputs[1 + i].tensor;
    sigma[i] = ExpertSigmas(x, weight, ids, data.symbols, rounds);
    product[i] = ByExpert(x, weight, ids,
                          [&](const TestTensor& matrix) { return ProductWith(values, matrix); });
  }
  return SwigluSigmas(product[0], sigma[0], product[1], sigma[1]);
}

std::vector<double> CombineSums(const CaseData& data) {
  const std::vector<float> x = data.inputs[0].tensor.floats();
  const std::vector<float> weights = data.inputs[1].tensor.floats();
  const int64_t parts = data.inputs[0].tensor.type.dim(1).value();
  const int64_t columns = data.inputs[0].tensor.type.dim(2).value();
  std::vector<double> sums(x.size() / parts, 0);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t row = i / columns;
    sums[row / parts * columns + i % columns] +=
        std::fabs(static_cast<double>(x[i]) * weights[row]);
  }
  return sums;
}

}  // namespace infer::conformance
