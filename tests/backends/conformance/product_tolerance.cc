// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/product_tolerance.h"

#include <algorithm>
#include <cmath>

#include "backends/formats/dequantize_row.h"
#include "tests/backends/conformance/tolerances.h"

namespace infer::conformance {
namespace {

bool HasMinimum(DType type) {
  return type == DType::kQ4_1 || type == DType::kQ5_1 || type == DType::kQ2_K ||
         type == DType::kQ4_K || type == DType::kQ5_K;
}

double Square(double x) { return x * x; }

// Steps of int8 for each group of a row.
std::vector<double> Steps(std::span<const float> x) {
  std::vector<double> steps;
  for (size_t i = 0; i < x.size(); ++i) {
    if (i % kInt8Group == 0) steps.push_back(0);
    steps.back() = std::max(steps.back(), std::fabs(x[i]) / kInt8Steps);
  }
  return steps;
}

double Int8Variance(std::span<const float> w, const std::vector<double>& steps) {
  double variance = 0;
  for (size_t i = 0; i < w.size(); ++i) variance += Square(steps[i / kInt8Group] * w[i]) / 12;
  return variance;
}

double Bf16Variance(std::span<const float> x, std::span<const float> w) {
  double largest = 0;
  for (float value : x) largest = std::max<double>(largest, std::fabs(value));
  double variance = 0;
  for (size_t i = 0; i < w.size(); ++i) {
    variance += Square(kBf16Sigma * x[i] * w[i]) + Square(kF16RowSigma * largest * w[i]);
  }
  return variance;
}

double FloatSigma(std::span<const float> x, std::span<const float> w) {
  double sum = 0;
  for (size_t i = 0; i < w.size(); ++i) sum += std::fabs(static_cast<double>(x[i]) * w[i]);
  return kUnit * std::sqrt(static_cast<double>(w.size())) * sum;
}

}  // namespace

std::vector<double> ProductSigmas(const TestTensor& x, const TestTensor& weight,
                                  const SymbolValues&, bool rounds) {
  const DType type = weight.type.tensor.dtype;
  const int64_t inner = weight.type.dim(1).value(), outputs = weight.type.dim(0).value();
  const std::vector<float> rows = x.floats();
  const int64_t tokens = static_cast<int64_t>(rows.size()) / inner;
  const double factor = HasMinimum(type) ? kMinimumFactor : 1;
  std::vector<double> sigmas(tokens * outputs);
  std::vector<float> w(inner);
  for (int64_t n = 0; n < outputs; ++n) {
    formats::DequantizeRow(type, weight.bytes.data() + n * formats::RowBytes(type, inner), inner,
                           w.data());
    for (int64_t t = 0; t < tokens; ++t) {
      const auto row = std::span(rows).subspan(t * inner, inner);
      double variance = 0;
      if (rounds && IsQuantized(type)) variance = Int8Variance(w, Steps(row));
      if (rounds && (type == DType::kF16 || type == DType::kBF16)) variance = Bf16Variance(row, w);
      sigmas[t * outputs + n] = std::sqrt(variance) + factor * FloatSigma(row, w);
    }
  }
  return sigmas;
}

std::vector<double> MatmulSigmas(const TestTensor& a, const TestTensor& b,
                                 const SymbolValues& symbols) {
  const int64_t rows = a.type.dim(0).At(symbols), inner = a.type.dim(1).At(symbols);
  const int64_t columns = b.type.dim(1).At(symbols);
  const std::vector<float> x = a.floats(), w = b.floats();
  std::vector<double> sigmas;
  std::vector<float> column(inner);
  for (int64_t i = 0; i < rows * columns; ++i) {
    for (int64_t k = 0; k < inner; ++k) column[k] = w[k * columns + i % columns];
    sigmas.push_back(FloatSigma(std::span(x).subspan(i / columns * inner, inner), column));
  }
  return sigmas;
}

}  // namespace infer::conformance
