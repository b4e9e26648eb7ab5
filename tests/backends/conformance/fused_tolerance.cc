// SPDX-License-Identifier: Apache-2.0
#include "tests/backends/conformance/fused_tolerance.h"

#include <cmath>
#include <cstring>

#include "backends/formats/dequantize_row.h"
#include "tests/backends/conformance/product_tolerance.h"
#include "tests/backends/conformance/tolerances.h"

namespace infer::conformance {
namespace {

// x normed with the next input. Of eps only so much that a row of zeros has a norm.
TestTensor Normed(const CaseData& data) {
  const TestTensor& x = data.inputs[0].tensor;
  std::vector<float> rows = x.floats();
  const std::vector<float> norm = data.inputs[1].tensor.floats();
  for (size_t first = 0; first < rows.size(); first += norm.size()) {
    double squares = 0;
    for (size_t i = 0; i < norm.size(); ++i) squares += std::pow(rows[first + i], 2.0);
    const double factor = 1 / std::sqrt(squares / static_cast<double>(norm.size()) + 1e-30);
    for (size_t i = 0; i < norm.size(); ++i) {
      rows[first + i] = static_cast<float>(rows[first + i] * factor * norm[i]);
    }
  }
  TestTensor normed = x;
  std::memcpy(normed.bytes.data(), rows.data(), normed.bytes.size());
  return normed;
}

}  // namespace

std::vector<double> ProductWith(const std::vector<float>& x, const TestTensor& matrix) {
  const int64_t outputs = matrix.type.dim(0).value(), inner = matrix.type.dim(1).value();
  const DType dtype = matrix.type.tensor.dtype;
  const int64_t rows = static_cast<int64_t>(x.size()) / inner;
  std::vector<float> w(inner);
  std::vector<double> result(rows * outputs, 0);
  for (int64_t n = 0; n < outputs; ++n) {
    formats::DequantizeRow(dtype, matrix.bytes.data() + n * formats::RowBytes(dtype, inner), inner,
                           w.data());
    for (int64_t i = 0; i < rows * inner; ++i) {
      result[i / inner * outputs + n] += static_cast<double>(w[i % inner]) * x[i];
    }
  }
  return result;
}

std::vector<double> SwigluSigmas(const std::vector<double>& gate,
                                 const std::vector<double>& gate_sigmas,
                                 const std::vector<double>& up,
                                 const std::vector<double>& up_sigmas) {
  std::vector<double> sigmas;
  for (size_t i = 0; i < gate.size(); ++i) {
    const double g = gate_sigmas[i], u = up_sigmas[i];
    const double silu = gate[i] / (1 + std::exp(-gate[i]));
    // The slope of silu is at most 1.1; swiglu itself may be off by 20 units.
    sigmas.push_back(1.1 * g * std::fabs(up[i]) + std::fabs(silu) * u + 1.1 * g * u +
                     0x1p-21 * std::fabs(silu * up[i]));
  }
  return sigmas;
}

std::vector<double> LinearAddSigmas(const CaseData& data, bool rounds) {
  std::vector<double> sigmas =
      ProductSigmas(data.inputs[0].tensor, data.inputs[1].tensor, data.symbols, rounds);
  const std::vector<float> residual = data.inputs[2].tensor.floats();
  for (size_t i = 0; i < sigmas.size(); ++i) sigmas[i] += kUnit * std::fabs(residual[i]);
  return sigmas;
}

std::vector<double> NormLinearSigmas(const CaseData& data, int result, bool rounds) {
  return ProductSigmas(Normed(data), data.inputs[2 + result].tensor, data.symbols, rounds);
}

std::vector<double> NormSwigluSigmas(const CaseData& data, bool rounds) {
  const std::vector<float> x = Normed(data).floats();
  return SwigluSigmas(ProductWith(x, data.inputs[2].tensor), NormLinearSigmas(data, 0, rounds),
                      ProductWith(x, data.inputs[3].tensor), NormLinearSigmas(data, 1, rounds));
}

}  // namespace infer::conformance
