// SPDX-License-Identifier: Apache-2.0
//
// One product with quantised weights, run as the adapter runs it, and its exact value.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "backends/formats/dequantize_row.h"
#include "backends/simd/i8mm/int8_kernels.h"
#include "backends/simd/levels/levels.h"
#include "backends/simd/linear.h"
#include "runtime/half.h"

namespace infer::simd {

// Bytes that are weights of any type: numbers at random, with the halves that are scales or minima
// replaced by ones of ordinary size.
inline std::vector<std::byte> RandomRows(DType dtype, int64_t outputs, int64_t inner) {
  std::vector<std::byte> rows(outputs * formats::RowBytes(dtype, inner));
  std::mt19937 random(static_cast<uint32_t>(outputs + inner));
  for (std::byte& byte : rows) byte = static_cast<std::byte>(random());
  // Where halves lie in a block.
  std::vector<int> halves = {0};
  if (dtype == DType::kQ4_1 || dtype == DType::kQ5_1 || dtype == DType::kQ4_K ||
      dtype == DType::kQ5_K) {
    halves = {0, 2};
  } else if (dtype == DType::kQ2_K) {
    halves = {80, 82};
  } else if (dtype == DType::kQ3_K) {
    halves = {108};
  } else if (dtype == DType::kQ6_K) {
    halves = {208};
  }
  const size_t block_bytes = Info(dtype).block_bytes;
  for (size_t block = 0; block < rows.size(); block += block_bytes) {
    if (dtype == DType::kMXFP4) {
      rows[block] = static_cast<std::byte>(118 + random() % 3);
      continue;
    }
    for (const int half : halves) {
      const uint16_t bits = F32ToF16(0.001f + 1e-6f * static_cast<float>(random() % 1000));
      std::memcpy(&rows[block + half], &bits, 2);
    }
  }
  return rows;
}

struct Int8Product {
  DType dtype;
  int64_t tokens, outputs, inner;
  std::vector<float> x = {};
  std::vector<std::byte> rows = {};

  Int8Product(DType type, int64_t m, int64_t n, int64_t k)
      : dtype(type), tokens(m), outputs(n), inner(k), rows(RandomRows(type, n, k)) {
    std::mt19937 random(static_cast<uint32_t>(m));
    std::normal_distribution<float> normal;
    x.resize(m * k);
    for (float& value : x) value = normal(random);
  }

  const LinearKernel& kernel() const { return *kI8mmLevel.linear(dtype); }

  std::vector<std::byte> Weight() const {
    const LinearKernel& k = kernel();
    if (k.pack == nullptr) return rows;
    std::vector<std::byte> packed(k.packed_bytes(outputs, inner));
    const int64_t panels = (outputs + k.panel_outputs - 1) / k.panel_outputs;
    for (int64_t panel = panels - 1; panel >= 0; --panel) {
      k.pack(rows.data(), outputs, inner, panel, panel + 1, packed.data());
    }
    return packed;
  }

  // Ranges of `step` columns, last to first. Between the rows of the result is a gap of 3, which
  // stays as it is.
  std::vector<float> Run(int64_t step) const {
    const ActivationMaker& maker = kI8mmLevel.makers[static_cast<int>(kernel().form(tokens))];
    std::vector<std::byte> prepared(maker.bytes(tokens, inner));
    EXPECT_LE(prepared.size(), ActivationBytesBound(tokens, inner));
    for (int64_t unit = maker.units(tokens, inner) - 1; unit >= 0; --unit) {
      maker.prepare(x.data(), tokens, inner, unit, unit + 1, prepared.data());
    }
    std::vector<std::byte> scratch(kernel().scratch_bytes(tokens, inner) + 1, std::byte{0x5A});
    EXPECT_LE(scratch.size() - 1, LinearScratchBound(inner));
    const std::vector<std::byte> weight = Weight();
    std::vector<float> out(tokens * stride(), 777.0f);
    const LinearCall call = {.weight = weight.data(),
                             .inner = inner,
                             .outputs = outputs,
                             .tokens = tokens,
                             .activations = prepared.data(),
                             .out = out.data(),
                             .out_stride = stride(),
                             .scratch = scratch.data()};
    for (int64_t begin = (outputs - 1) / step * step; begin >= 0; begin -= step) {
      kernel().run(call, begin, std::min(outputs, begin + step));
    }
    EXPECT_EQ(scratch.back(), std::byte{0x5A});
    return out;
  }

  int64_t stride() const { return outputs + 3; }

  // The largest difference from the exact product, against the length of the activations times that
  // of the weights: what an error of each activation by a share of its group's largest amounts to.
  double Error(const std::vector<float>& out) const {
    double worst = 0;
    std::vector<float> row(inner);
    for (int64_t column = 0; column < outputs; ++column) {
      const uint64_t row_bytes = formats::RowBytes(dtype, inner);
      formats::DequantizeRow(dtype, rows.data() + column * row_bytes, inner, row.data());
      for (int64_t token = 0; token < tokens; ++token) {
        double sum = 0, length_x = 0, length_w = 0;
        for (int64_t i = 0; i < inner; ++i) {
          const double a = x[token * inner + i];
          sum += a * row[i];
          length_x += a * a;
          length_w += static_cast<double>(row[i]) * row[i];
        }
        const int64_t place = token * stride() + column;
        worst = std::max(worst, std::abs(out[place] - sum) / std::sqrt(length_x * length_w));
      }
    }
    return worst;
  }
};

}  // namespace infer::simd
